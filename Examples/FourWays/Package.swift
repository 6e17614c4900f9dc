// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "FourWays",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "pawl", path: "../..")],
    targets: [
        .executableTarget(
            name: "FourWays",
            dependencies: [.product(name: "Pawl", package: "pawl")]
        )
    ],
    swiftLanguageModes: [.v6]
)
