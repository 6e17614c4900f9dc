// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let arguments: Target.Dependency = .product(
    name: "ArgumentParser",
    package: "swift-argument-parser"
)

// `Launch` starts and measures one program, `Shaper` simulates a long link, and `Bench` runs the
// cases.
let package = Package(
    name: "pawl-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
    ],
    targets: [
        .systemLibrary(name: "CBench"),
        .executableTarget(name: "Launch", dependencies: ["CBench"], swiftSettings: settings),
        .executableTarget(
            name: "Shaper",
            dependencies: ["CBench", arguments],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Bench",
            dependencies: ["CBench", arguments],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
