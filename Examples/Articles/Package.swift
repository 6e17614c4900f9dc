// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Articles",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "pawl", path: "../..")],
    targets: [
        .executableTarget(
            name: "Articles",
            dependencies: [
                .product(name: "Pawl", package: "pawl"),
                .product(name: "PawlLibrary", package: "pawl"),
                .product(name: "PawlFoundation", package: "pawl"),
                .product(name: "PawlTestKit", package: "pawl"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
