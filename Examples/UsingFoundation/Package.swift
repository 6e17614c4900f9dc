// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "UsingFoundation",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "pawl", path: "../..")],
    targets: [
        .executableTarget(
            name: "UsingFoundation",
            dependencies: [
                .product(name: "Pawl", package: "pawl"),
                .product(name: "PawlFoundation", package: "pawl"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
