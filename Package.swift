// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let nio: [Target.Dependency] = ["NIOCore", "NIOHTTP1", "NIOPosix"].map { name in
    .product(name: name, package: "swift-nio")
}
let arguments: Target.Dependency = .product(
    name: "ArgumentParser",
    package: "swift-argument-parser"
)

func ours(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A package of its own, for those who copy it; here it is built as one who uses Pawl sees it.
func example(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["Pawl"],
        path: "Examples/\(name)/Sources/\(name)",
        packageAccess: false
    )
}

func tests(
    _ name: String,
    _ dependencies: [Target.Dependency],
    path: String? = nil,
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies + ["PawlTesting"],
        path: path,
        exclude: exclude,
        swiftSettings: settings
    )
}

let package = Package(
    name: "pawl",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Pawl", targets: ["Pawl"]),
        .executable(name: "pawl", targets: ["PawlTool"]),
        .executable(name: "pawld", targets: ["PawlDaemonTool"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.2.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(
            url: "https://github.com/swiftlang/swift-subprocess",
            from: "1.0.2",
            traits: []
        ),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird",
            exact: "2.28.1",
            traits: []
        ),
    ],
    targets: [
        .systemLibrary(
            name: "CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .systemLibrary(
            name: "CCrypto",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(name: "CPlatform"),
        .target(name: "CPage", exclude: ["Page"]),

        ours("PawlCore", [heap]),
        ours("PawlStorage", ["PawlCore", "CCrypto", "CPlatform", system]),
        ours("PawlTransport", ["PawlCore", "CCurl", "CPlatform"]),
        ours("PawlEngine", ["PawlCore", "PawlStorage", system, logging]),
        ours(
            "Pawl",
            [
                "PawlCore", "PawlStorage", "PawlTransport", "PawlEngine", "PawlWire", "CPlatform",
                system, logging,
            ]
        ),
        ours("PawlWire", ["PawlCore"]),
        ours(
            "PawlDaemon",
            [
                "Pawl", "PawlCore", "PawlWire", "CPage", grdb, hummingbird, hummingbirdCore,
                httpTypes,
                subprocess, system, logging,
            ]
                + nio
        ),
        ours(
            "PawlCLI",
            ["Pawl", "PawlCore", "PawlWire", "CPlatform", arguments, logging, system]
        ),
        .executableTarget(name: "PawlTool", dependencies: ["PawlCLI"], swiftSettings: settings),
        .executableTarget(
            name: "PawlDaemonTool",
            dependencies: [
                "PawlCLI", "PawlDaemon", "Pawl", "PawlCore", "PawlWire", arguments, logging,
            ],
            swiftSettings: settings
        ),
        ours("PawlTesting", ["PawlCore", "CCrypto", system]),

        .executableTarget(
            name: "StorageProbe",
            dependencies: ["PawlStorage", "PawlCore", system],
            path: "Tests/StorageProbe",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "SessionProbe",
            dependencies: ["Pawl"],
            path: "Tests/SessionProbe",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "LibraryProbe",
            dependencies: ["Pawl"],
            path: "Tests/LibraryProbe",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "BackgroundProbe",
            dependencies: ["Pawl"],
            path: "Tests/BackgroundProbe",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "SocketActivator",
            path: "Tests/SocketActivator",
            swiftSettings: settings
        ),
        // What the benchmark measures of sessions.
        .executableTarget(
            name: "SessionBench",
            dependencies: ["Pawl"],
            path: "Benchmarks/Programs/SessionBench",
            swiftSettings: settings
        ),
        example("Articles"),
        example("FourWays"),
        example("MediaCache"),
        example("ResumableFetch"),
        tests("PawlCoreTests", ["PawlCore"]),
        tests("PawlStorageTests", ["PawlStorage", "PawlCore", "StorageProbe", system]),
        tests("PawlTransportTests", ["PawlTransport", "PawlCore"]),
        tests(
            "PawlEngineTests",
            ["PawlEngine", "PawlStorage", "PawlTransport", "PawlCore", logging]
        ),
        tests(
            "PawlTests",
            ["Pawl", "PawlCore", "PawlStorage", "PawlWire", "SessionProbe", "LibraryProbe", system]
        ),
        tests("PawlDaemonTests", ["PawlDaemon", "PawlWire", "PawlCore", logging, grdb]),
        tests(
            "CommandTests",
            [
                "PawlCLI", "PawlTool", "PawlDaemonTool", "BackgroundProbe", "SocketActivator",
                "PawlDaemon", "PawlCore", "PawlWire", "Articles", "FourWays", "MediaCache",
                "ResumableFetch",
                system,
            ],
            path: "Tests/Commands",
            exclude: ["Snapshots"]
        ),
    ],
    swiftLanguageModes: [.v6]
)
