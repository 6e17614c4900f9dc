import Glibc
import PawlCore
import PawlTesting
import Testing

extension Provocation {
    /// One provocation per code, except for those that need two runs or a mount.
    static let all: [Provocation] = transport + answers + disk + use

    private static let transport = [
        Provocation(.timedOut, .resource(resource).stallAfterBytes(9), "--max-time", "0.3"),
        Provocation(
            .tooSlow,
            // Too slow for both attempts to complete the file.
            .resource(resource).rate(2_000),
            "--min-speed",
            "100K",
            "--stall-timeout",
            BusyMachine.pauseSeconds,
            "--retries",
            "1"
        ),
        Provocation(.network) { workshop in
            let port = try UnusedPort.find()
            return try await workshop.run("http://127.0.0.1:\(port)/x", "--retries", "1")
        },
        Provocation(.nameNotResolved) { workshop in
            try await workshop.run("http://nowhere.invalid/x")
        },
        Provocation(.tlsFailed) { workshop in
            let secure = try ScriptedOrigin(tls: true)
            return try await workshop.run(secure.url("/x"))
        },
    ]

    private static let answers = [
        Provocation(.notFound, .status(404)),
        Provocation(.unauthorized, .status(401)),
        Provocation(.serverBusy, .status(503), "--retries", "1"),
        Provocation(.badResponse, .status(204)),
        Provocation(.tooManyRedirects, .redirect { "/disk.iso?\($0.ordinal)" }),
        Provocation(.redirectRefused, .redirect(to: "file:///etc/passwd")),
        Provocation(.keepsChanging) { workshop in
            workshop.serve(
                .each {
                    .resource(Resource(size: 9000, seed: UInt64($0.ordinal)))
                        .afterBytes(4000, .reset)
                }
            )
            return try await workshop.run(workshop.url)
        },
        Provocation(.captivePortal) { workshop in
            let good = Reply.resource(resource).afterBytes(200_000, .reset)
            workshop.serve(good.from(request: 2, .htmlPortal))
            return try await workshop.run(workshop.url, "--retries", "1")
        },
        Provocation(.notTheFile) { workshop in
            let good = Reply.resource(resource).afterBytes(200_000, .reset)
            workshop.serve(good.from(request: 2, .status(200, body: "an error")))
            return try await workshop.run(workshop.url, "--retries", "1")
        },
        Provocation(.checksumMismatch) { workshop in
            workshop.serve(.resource(resource))
            return try await workshop.run(
                workshop.url,
                "--checksum",
                "md5=" + String(repeating: "a", count: 32)
            )
        },
    ]

    private static let disk = [
        Provocation(.diskFailure, FaultPlan(.fail(EIO), at: 1, of: [.pwrite])),
        Provocation(.renameFailed, FaultPlan(.fail(EIO), at: 1, of: [.link])),
        Provocation(.fileNotCreatable, FaultPlan(.fail(EACCES), at: 1, of: [.open])),
        Provocation(.fileUnreadable) { try await $0.run("-i", "no-such-list.txt") },
        Provocation(.directoryNotUsable) { workshop in
            try workshop.folder.write("file", "")
            return try await workshop.run(workshop.url, "-d", "file/below")
        },
        Provocation(.fileExists) { workshop in
            try workshop.folder.write("file", "")
            return try await workshop.run(workshop.url, "-o", "file", "--if-exists", "fail")
        },
    ]

    private static let use = [
        Provocation(.usage) { try await $0.run("--no-such-option") }
    ]
}
