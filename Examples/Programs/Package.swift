// swift-tools-version: 6.2
import PackageDescription

func program(_ name: String, _ products: String...) -> Target {
    .executableTarget(
        name: name,
        dependencies: products.map { .product(name: $0, package: "pawl") }
    )
}

let package = Package(
    name: "Programs",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "pawl", path: "../..")],
    targets: [
        program("BackgroundDownload", "Pawl"),
        program("CoverCache", "Pawl", "PawlLibrary"),
        program("FetchFile", "Pawl"),
        program("FetchList", "Pawl"),
        program("Films", "Pawl"),
        program("FollowDownloads", "Pawl"),
        program("ResumeLater", "Pawl"),
        program("TestWithoutNetwork", "Pawl", "PawlTestKit"),
    ],
    swiftLanguageModes: [.v6]
)
