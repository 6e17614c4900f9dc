// swift-tools-version: 6.2
import PackageDescription

// This manifest describes two packages (docs/decisions/026-packages.md):
// - In the root of the repository, the libraries `Pawl`, `PawlLibrary`, `PawlFoundation` and
//   `PawlTestKit`, and their tests. A program that depends on them therefore resolves only the
//   packages that they need.
// - In the folder `Development`, whose entries are links to those of the root, everything: also
//   the command, the daemon, the examples and their tests. All scripts build this one.
let isDevelopment = Context.packageDirectory.hasSuffix("/Development")

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

func ours(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    exclude: [String] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

// A program that is not shipped: the tests or the benchmark start it.
func program(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    path: String? = nil
) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: path ?? "Tests/\(name)",
        swiftSettings: settings
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
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Pawl", targets: ["Pawl"]),
        .library(name: "PawlLibrary", targets: ["PawlLibrary"]),
        .library(name: "PawlFoundation", targets: ["PawlFoundation"]),
        .library(name: "PawlTestKit", targets: ["PawlTestKit"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.2.0"),
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
        .systemLibrary(
            name: "CExpat",
            pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"])]
        ),
        .systemLibrary(name: "CPlatform"),

        ours("PawlCore", [heap]),
        ours("PawlStorage", ["PawlCore", "CCrypto", "CPlatform", system, deque]),
        ours("PawlTransport", ["PawlCore", "CCurl", "CCrypto", "CPlatform"]),
        ours("PawlEngine", ["PawlCore", "PawlStorage", system, logging, heap]),
        ours("PawlWire", ["PawlCore"]),
        ours("PawlFleet", ["PawlCore"]),
        ours(
            "Pawl",
            [
                "PawlCore", "PawlStorage", "PawlTransport", "PawlEngine", "PawlWire", "PawlFleet",
                "CExpat", "CPlatform", system, logging,
            ]
        ),
        ours(
            "PawlLibrary",
            ["Pawl", "PawlCore", "PawlStorage", "PawlEngine", "CPlatform", system, logging]
        ),
        ours("PawlFoundation", ["Pawl", "PawlLibrary", "PawlCore"]),
        ours("PawlTestKit", ["Pawl", "PawlCore"]),

        .target(
            name: "PawlTesting",
            dependencies: ["PawlCore", "CCrypto", "CPlatform", system],
            path: "Tests/Support",
            swiftSettings: settings
        ),
        program("StorageProbe", ["PawlStorage", "PawlCore", system]),
        program("SessionProbe", ["Pawl"]),
        program("LibraryProbe", ["Pawl", "PawlLibrary"]),
        tests("PawlCoreTests", ["PawlCore"]),
        tests("PawlCoreLongTests", ["PawlCore"]),
        tests("PawlStorageTests", ["PawlStorage", "PawlCore", "StorageProbe", system]),
        tests("PawlTransportTests", ["PawlTransport", "PawlCore"]),
        tests(
            "PawlEngineTests",
            ["PawlEngine", "PawlStorage", "PawlTransport", "PawlCore", logging]
        ),
        tests(
            "PawlTests",
            [
                "Pawl", "PawlCore", "PawlEngine", "PawlStorage", "PawlTransport", "PawlWire",
                "SessionProbe", logging, system,
            ]
        ),
        tests(
            "PawlLibraryTests",
            ["PawlLibrary", "Pawl", "PawlCore", "PawlStorage", "LibraryProbe", system]
        ),
        tests("PawlFoundationTests", ["PawlFoundation", "Pawl", "PawlLibrary", "PawlCore"]),
        tests("PawlTestKitTests", ["PawlTestKit", "PawlLibrary", "Pawl", "PawlCore"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

if isDevelopment {
    let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
    let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
    let hummingbirdCore: Target.Dependency = .product(
        name: "HummingbirdCore",
        package: "hummingbird"
    )
    let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
    let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
    let nio: [Target.Dependency] = ["NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket"].map { name in
        .product(name: name, package: "swift-nio")
    }
    let arguments: Target.Dependency = .product(
        name: "ArgumentParser",
        package: "swift-argument-parser"
    )
    let configuration: Target.Dependency = .product(
        name: "Configuration",
        package: "swift-configuration"
    )
    let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
    let optimized = [
        "PawlCore", "PawlFleet", "PawlTesting", "PawlCoreLongTests", "PawlFleetTests",
    ]
    let examples = [
        "Articles", "FourWays", "MediaCache", "Programs/BackgroundDownload", "Programs/CoverCache",
        "Programs/FetchFile", "Programs/FetchList", "Programs/Films", "Programs/FollowDownloads",
        "Programs/ResumeLater", "Programs/TestWithoutNetwork",
        "ResumableFetch", "UsingFoundation",
    ].map(Example.init)

    package.products += [
        .executable(name: "pawl", targets: ["PawlTool"]),
        .executable(name: "pawld", targets: ["PawlDaemonTool"]),
    ]
    package.dependencies += [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird",
            exact: "2.28.1",
            traits: []
        ),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ]
    package.targets += [
        .systemLibrary(
            name: "CPostgres",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]
        ),
        .target(name: "CPage", exclude: ["Page"]),
        .target(name: "CTOML"),
        ours(
            "PawlHooks",
            ["Pawl", "PawlCore", "PawlStorage", "PawlWire", "CPlatform", subprocess, system]
        ),
        ours("PawlPostgres", ["PawlCore", "CPostgres", "CPlatform", deque]),
        ours(
            "PawlDaemon",
            [
                "Pawl", "PawlCore", "PawlFleet", "PawlHooks", "PawlPostgres", "PawlWire", "CCrypto",
                "CPage", "CPlatform", grdb, hummingbird, hummingbirdCore, httpTypes, logging,
            ] + nio,
            exclude: ["API/openapi.yaml"]
        ),
        ours(
            "PawlCLI",
            [
                "Pawl", "PawlCore", "PawlHooks", "PawlWire", "CPlatform", "CTOML", arguments,
                configuration, logging, system,
            ]
        ),
        .executableTarget(name: "PawlTool", dependencies: ["PawlCLI"], swiftSettings: settings),
        .executableTarget(
            name: "PawlDaemonTool",
            dependencies: [
                "PawlCLI", "PawlDaemon", "Pawl", "PawlCore", "PawlWire", arguments, logging,
            ],
            swiftSettings: settings
        ),

        program("BackgroundProbe", ["Pawl"]),
        program("SocketActivator"),
        program("PostgresProbe", ["PawlPostgres"]),
        // What the benchmark measures of sessions.
        program("SessionBench", ["Pawl"], path: "Benchmarks/Programs/SessionBench"),
        tests("PawlPostgresTests", ["PawlPostgres", "PostgresProbe"]),
        tests("PawlFleetTests", ["PawlFleet", "PawlCore", heap, system]),
        tests(
            "PawlDaemonTests",
            ["PawlDaemon", "PawlFleet", "PawlPostgres", "PawlWire", "PawlCore", logging, grdb]
        ),
        tests(
            "CommandTests",
            [
                "PawlCLI", "PawlTool", "PawlDaemonTool", "BackgroundProbe", "LibraryProbe",
                "SocketActivator", "PawlDaemon", "PawlHooks", "PawlCore", "PawlWire", system, yams,
                grdb,
            ] + examples.map { .byName(name: $0.target) },
            path: "Tests/Commands",
            exclude: ["Snapshots"]
        ),
    ]
    package.targets += examples.map(\.compiled)
    // Simulations, tables and the content of test files: without optimization, they take most of the
    // time of the tests. All checks stay on. The compiler takes several times as long to optimize
    // tests, so those with long computations are a target of their own.
    for target in package.targets where optimized.contains(target.name) {
        target.swiftSettings? += [.unsafeFlags(["-O"], .when(configuration: .debug))]
    }
}

#if canImport(Darwin)
// Only Linux has a module FoundationEssentials. On Apple's systems, a target exports Foundation
// under its name.
let essentials = "FoundationEssentials"
for target in package.targets where target.type != .system {
    target.dependencies.append(.byName(name: essentials))
}
package.targets.append(.target(name: essentials, swiftSettings: settings))
#endif

// Each example is a package of its own for those who copy it; `PACKAGE/TARGET` is one of its
// programs. As a target it is built as a user of Pawl would build it: without access to what is
// only `package`.
struct Example {
    let package: String
    let target: String

    init(_ name: String) {
        let parts = name.split(separator: "/").map(String.init)
        (package, target) = (parts[0], parts[parts.count - 1])
    }

    var compiled: Target {
        .executableTarget(
            name: target,
            dependencies: ["Pawl", "PawlLibrary", "PawlFoundation", "PawlTestKit"],
            path: "Examples/\(package)/Sources/\(target)",
            packageAccess: false
        )
    }
}
