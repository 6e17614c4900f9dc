import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// `pawl` with the daemon of another machine.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct RemoteDaemonTests {
        private let resource = Resource(size: 300_000)

        @Test func `each command for the queue uses the daemon of another machine`() async throws {
            let scene = try await RemoteScene.make()
            let workshop = scene.daemon.workshop
            workshop.serve(.resource(resource))
            let added = try await scene.succeed("add", workshop.url)
            #expect(added.output.hasPrefix("1\t"))
            try await scene.succeed("wait", "1")
            let path = "\(scene.downloads)/\(Workshop.name)"
            #expect(try resource.verify(fileAt: path) == nil)
            try await scene.succeed("add", "--paused", "--label", "films", "http://127.0.0.1:1/a")
            for arguments in [
                ["list", "--all"], ["show", "2"], ["set", "--priority", "high", "2"],
                ["move", "--first", "2"], ["limit", "2M"], ["limit"], ["label", "list"],
                ["label", "set", "films", "--limit", "1M"], ["feed", "list"], ["session", "list"],
                ["events", "--past"], ["remove", "2"], ["undo"], ["cancel", "2"], ["clear"],
                ["daemon", "status"], ["daemon", "allow"], ["daemon", "hooks"],
            ] {
                let run = try await scene.run(plain: scene.choice() + arguments)
                #expect(run.status == .code(0), "\(arguments): \(run.errors)")
            }
            #expect(try await scene.daemon.downloads().isEmpty)
            scene.expectNoOwnDaemon()
        }

        @Test func `the daemon is chosen by variables and the config file, too`() async throws {
            let scene = try await RemoteScene.make()
            let status = ["daemon", "status"]
            let variables: [String: String?] = [
                "PAWL_CONFIG": nil, "PAWL_DAEMON": scene.secure.origin,
                "PAWL_DAEMON_TOKEN": scene.secure.network.token,
                "PAWL_DAEMON_CACERT": scene.secure.files.authority,
            ]
            let byVariables = try await scene.run(plain: status, variables)
            #expect(byVariables.output.contains(scene.secure.origin), "\(byVariables.errors)")
            // The variable is for the daemon of the variables.
            let mixed = try await scene.run(
                plain: ["--daemon", scene.secure.origin] + status,
                ["PAWL_CONFIG": nil, "PAWL_DAEMON_TOKEN": scene.secure.network.token]
            )
            expectFailure(.usage, mixed)
            #expect(mixed.errors.contains("PAWL_DAEMON_TOKEN is not used"), "\(mixed.errors)")
            try scene.user.home.makeFolder(".config")
            try scene.user.home.makeFolder(".config/pawl")
            try scene.user.home.write(
                ".config/pawl/config.toml",
                """
                [defaults]
                daemon = "\(scene.secure.origin)"
                daemon-token-command = "cat ~/token"
                daemon-cacert = "\(scene.secure.files.authority)"
                directory = "~"
                on-complete = "true"
                cacert = "~/token"
                """
            )
            let byFile = try await scene.run(plain: status, ["PAWL_CONFIG": nil])
            #expect(byFile.output.contains(scene.secure.origin), "\(byFile.errors)")
            let shown = try await scene.run(plain: ["config"], variables)
            #expect(shown.output.contains("daemon-token = ***"), "\(shown.output)")
            #expect(!shown.everything.contains(scene.secure.network.token))
            // The folder, the program and the file of the config file are those of this machine.
            let add = ["add", "--paused", "http://127.0.0.1:1/a"]
            let added = try await scene.run(plain: add, ["PAWL_CONFIG": nil])
            #expect(added.status == .code(0), "\(added.errors)")
            let row = try #require(try await scene.daemon.downloads().first)
            #expect(row.destination.hasPrefix(scene.downloads), "\(row.destination)")
            // The token of the file is for the daemon of the file only.
            let other = try await scene.run(
                plain: ["--daemon", "http://127.0.0.1:1"] + status,
                ["PAWL_CONFIG": nil]
            )
            expectFailure(.usage, other)
            #expect(other.errors.contains("there is no token"))
            let local = try await scene.run(
                plain: ["--daemon", "local"] + status,
                ["PAWL_CONFIG": nil]
            )
            expectFailure(.daemonUnavailable, local)
            scene.expectNoOwnDaemon()
        }

        @Test func `a mistake in another option of the config file stops no command of the daemon`()
            async throws
        {
            let scene = try await RemoteScene.make()
            try scene.user.home.makeFolder(".config")
            try scene.user.home.makeFolder(".config/pawl")
            let file = ".config/pawl/config.toml"
            let ofFile: [String: String?] = ["PAWL_CONFIG": nil]
            let choice = """
                [defaults]
                daemon = "\(scene.secure.origin)"
                daemon-token-command = "cat ~/token"
                daemon-cacert = "\(scene.secure.files.authority)"
                """
            try scene.user.home.write(file, choice + "\nno-such-option = 1\nretries = []\n")
            let status = ["daemon", "status"]
            let remote = try await scene.run(plain: status, ofFile)
            #expect(remote.output.contains(scene.secure.origin), "\(remote.errors)")
            for mistake in [
                "\ndaemon-unencrypted = [true, true, 1]\n", "\ndeamon-token = \"x\"\n", "\n[\n",
            ] {
                try scene.user.home.write(file, choice + mistake)
                let run = try await scene.run(plain: status, ofFile)
                expectFailure(.usage, run)
                // What is typed needs nothing from the file.
                let local = try await scene.run(plain: ["--daemon", "local"] + status, ofFile)
                expectFailure(.daemonUnavailable, local)
                let typed = try await scene.run(plain: scene.choice() + status, ofFile)
                #expect(typed.output.contains(scene.secure.origin), "\(typed.errors)")
            }
            scene.expectNoOwnDaemon()
        }

        @Test func `no output and no list of processes contains the token`() async throws {
            let scene = try await RemoteScene.make()
            let token = scene.secure.network.token
            let typed = try await scene.run(plain: ["--daemon-token", token, "list"])
            expectFailure(.usage, typed)
            #expect(typed.errors.contains("PAWL_DAEMON_TOKEN") && !typed.errors.contains(token))
            for mode in [0o644, 0o640, 0o620] as [UInt32] {
                try scene.user.home.setPermissions("token", mode)
                let open = try await scene.run("list")
                expectFailure(.fileUnreadable, open)
                #expect(open.errors.contains("chmod 600") && !open.errors.contains(token))
            }
            try scene.user.home.setPermissions("token", 0o600)
            // A token in the config file is as secret.
            let config = try scene.user.home.write(
                "config.toml",
                """
                [defaults]
                daemon = "\(scene.secure.origin)"
                daemon-token = "\(token)"
                daemon-cacert = "\(scene.secure.files.authority)"
                """
            )
            try scene.user.home.setPermissions("config.toml", 0o640)
            let shared = try await scene.run(plain: ["list"], ["PAWL_CONFIG": config])
            expectFailure(.fileUnreadable, shared)
            #expect(shared.errors.contains("chmod 600") && !shared.errors.contains(token))
            try scene.user.home.setPermissions("config.toml", 0o600)
            let alone = try await scene.run(plain: ["list"], ["PAWL_CONFIG": config])
            #expect(alone.status == .code(0), "\(alone.errors)")
            // From standard input, it is not taken for a URL.
            var settings = scene.user.settings
            settings.input = Array("\(token)\n".utf8)
            let choice = scene.choice(token: "-")
            let list = try await scene.user.workshop.run(choice + ["list"], settings)
            #expect(list.status == .code(0), "\(list.errors)")
            let add = try await scene.user.workshop.run(choice + ["add", "-i", "-"], settings)
            expectFailure(.usage, add)
            #expect(add.errors.contains("standard input") && !add.errors.contains(token))
            // A program that the command starts does not get the variable.
            let run = try await scene.run(
                plain: ["list"],
                [
                    "PAWL_CONFIG": nil, "PAWL_DAEMON": scene.secure.origin,
                    "PAWL_DAEMON_TOKEN": "x y",
                ]
            )
            expectFailure(.usage, run)
            #expect(run.errors.contains("is not a token") && !run.errors.contains("x y"))
        }

        @Test func `a scope that is too narrow is reported with the one that is needed`()
            async throws
        {
            let scene = try await RemoteScene.make()
            try await scene.daemon.succeed("add", "--paused", "http://127.0.0.1:1/a")
            let reader = scene.choice(token: try await scene.tokenFile(scope: "read"))
            let list = try await scene.run(plain: reader + ["list"])
            #expect(list.status == .code(0) && list.output.contains("paused"), "\(list.errors)")
            let adding = try await scene.run(plain: reader + ["add", "http://127.0.0.1:1/b"])
            expectFailure(.notAllowed, adding)
            #expect(adding.errors.contains("use a token of the scope add"), "\(adding.errors)")
            // The scope "add" is for the downloads that its token has added.
            for (arguments, what) in [
                (["resume", "1"], "pausing, resuming"), (["remove", "1"], "removing a download"),
                (["cancel", "1"], "cancelling a download"),
                (["set", "--priority", "high", "1"], "changing its priority"),
            ] {
                let run = try await scene.run(plain: reader + arguments)
                expectFailure(.notAllowed, run)
                #expect(run.errors.contains(what), "\(run.errors)")
                #expect(run.errors.contains("use a token of the scope manage"), "\(run.errors)")
            }
            let adder = scene.choice(token: try await scene.tokenFile(scope: "add"))
            let own = try await scene.run(
                plain: adder + ["add", "--paused", "http://127.0.0.1:1/b"]
            )
            #expect(own.status == .code(0), "\(own.errors)")
            let resuming = try await scene.run(plain: adder + ["resume", "1"])
            expectFailure(.notAllowed, resuming)
            #expect(resuming.errors.contains("scope manage"), "\(resuming.errors)")
            // What no token may do.
            let export = try await scene.run("export")
            expectFailure(.notAllowed, export)
            #expect(export.errors.contains("on the daemon's machine"), "\(export.errors)")
        }

        @Test func `a command for this machine's daemon does nothing for another`() async throws {
            let scene = try await RemoteScene.make()
            for arguments in [
                ["start"], ["stop"], ["restart"], ["run"], ["token"], ["token", "--url"],
                ["install", "--print"], ["uninstall"],
                ["allow", "--private-addresses", "yes"], ["hooks", "--notify"],
            ] {
                let run = try await scene.run(plain: scene.choice() + ["daemon"] + arguments)
                expectFailure(.usage, run)
                #expect(run.errors.contains("only for the daemon of this machine"))
                #expect(run.errors.contains("--daemon local"), "\(run.errors)")
            }
            for arguments in [["verify", "x"], ["mirror", "http://h/"], ["http://h/a"]] {
                let run = try await scene.run(plain: scene.choice() + arguments)
                expectFailure(.usage, run)
                #expect(run.errors.contains("--daemon has no effect"), "\(run.errors)")
            }
            let behind = try await scene.run(plain: ["list", "--daemon", scene.secure.origin])
            #expect(behind.status == .code(ErrorCode.usage.exitStatus))
            #expect(behind.errors.contains("before the subcommand"), "\(behind.errors)")
            scene.expectNoOwnDaemon()
            #expect(try await scene.secure.ask("/v1/status").status == 200)
        }

        @Test
        func
            `the audit log of another machine is shown to a token that manages, and the log is not`()
            async throws
        {
            let scene = try await RemoteScene.make(at: "127.0.0.1:\(try UnusedPort.find())")
            try await scene.succeed("add", "--paused", "http://127.0.0.1:1/a")
            let text = try await scene.succeed("daemon", "audit", "-n", "1").output
            #expect(text.contains("token main  127.0.0.1  POST /v1/downloads  201  #1"), "\(text)")
            let remote = try await scene.succeed("daemon", "audit", "--json").output
            #expect(try await scene.daemon.succeed("daemon", "audit", "--json").output == remote)
            // The log contains what hooks print, and the URLs of webhooks.
            expectFailure(.usage, try await scene.run("daemon", "logs"))
            for scope in ["read", "add"] {
                let choice = scene.choice(token: try await scene.tokenFile(scope: scope))
                let run = try await scene.run(plain: choice + ["daemon", "audit"])
                expectFailure(.notAllowed, run)
                #expect(run.errors.contains("use a token of the scope manage"))
            }
            scene.expectNoOwnDaemon()
        }

        @Test func `paths are those of the daemon's machine`() async throws {
            let scene = try await RemoteScene.make()
            let url = "http://127.0.0.1:1/a"
            // Neither a file nor a folder of the user has a meaning for the daemon.
            try scene.user.workshop.folder.write("films", "a file")
            try await scene.succeed("add", "--paused", "-d", "films", url)
            try await scene.succeed("add", "--paused", "-o", "disk.iso", url)
            try await scene.succeed("add", "--paused", "-d", "\(scene.downloads)/x", url)
            let rows = try await scene.daemon.downloads()
            #expect(
                rows.map(\.destination) == [
                    "\(scene.downloads)/films/", "\(scene.downloads)/disk.iso",
                    "\(scene.downloads)/x/",
                ]
            )
            for folder in [".", "./x", "../x", "x/../y"] {
                let run = try await scene.run("add", "-d", folder, url)
                expectFailure(.usage, run)
                #expect(run.errors.contains("folder of this machine"), "\(run.errors)")
            }
            let label = try await scene.run("label", "set", "films", "--folder", "x")
            expectFailure(.usage, label)
            let outside = try await scene.run("add", "-d", "/nowhere", url)
            expectFailure(.notAllowed, outside)
            #expect(outside.errors.contains("is not in an allowed folder"))
            for options in [["--cacert", scene.tokenFile], ["--on-complete", "true"]] {
                let run = try await scene.run(plain: scene.choice() + ["add", url] + options)
                expectFailure(.usage, run)
                #expect(
                    run.errors.contains("does not accept this option over TCP"),
                    "\(run.errors)"
                )
            }
        }

        @Test
        func `a list of more than 1 MiB is added in order, and exported downloads are imported`()
            async throws
        {
            let scene = try await RemoteScene.make()
            let padding = String(repeating: "x", count: 3000)
            let urls = (0..<800).map { "http://127.0.0.1:1/\(padding)/\($0)" }
            try scene.user.workshop.folder.write("list", urls.joined(separator: "\n"))
            let added = try await scene.succeed("add", "--paused", "-i", "list")
            #expect(added.output.split(separator: "\n").count == urls.count)
            #expect(try await scene.daemon.downloads().map(\.url) == urls)
            let export = try await scene.daemon.succeed("export")
            #expect(export.output.utf8.count > 2 << 20)
            try scene.user.workshop.folder.write("exported", export.output)
            try await scene.succeed("import", "exported")
            #expect(try await scene.daemon.downloads().map(\.url) == urls + urls)
        }

        @Test func `a feed saves its files on the daemon's machine`() async throws {
            let scene = try await RemoteScene.make()
            let origin = scene.daemon.workshop.origin
            let item = "<guid>1</guid><enclosure url=\"\(origin.url("/1.mp3"))\"/>"
            let document = "<rss><channel><title>Show</title><item>\(item)</item></channel></rss>"
            origin.route("/feed.xml", .status(200, body: document))
            let url = origin.url("/feed.xml")
            func destinations() async throws -> [String] {
                let run = try await scene.daemon.succeed("feed", "list", "--json")
                return try WireJSON.decode([WireFeed].self, from: run.output.utf8)
                    .sorted { $0.id < $1.id }.map(\.destination)
            }
            // Without a folder, with one in the daemon's folder, and with an absolute one.
            try await scene.succeed("feed", "add", "--paused", "--name", "a", url)
            try await scene.succeed("feed", "add", "--paused", "--name", "b", "-d", "shows", url)
            let absolute = "\(scene.downloads)/x"
            try await scene.succeed("feed", "add", "--paused", "--name", "c", "-d", absolute, url)
            let root = scene.downloads
            #expect(try await destinations() == ["\(root)/", "\(root)/shows/", "\(root)/x/"])
            try await scene.succeed("feed", "set", "a", "-d", "talks")
            #expect(try await destinations().first == "\(root)/talks/")
            for arguments in [["add", "--name", "d", url], ["set", "a"]] {
                let run = try await scene.run(
                    plain: scene.choice() + ["feed"] + arguments + ["-d", "./x"]
                )
                expectFailure(.usage, run)
                #expect(run.errors.contains("folder of this machine"), "\(run.errors)")
                let outside = try await scene.run(
                    plain: scene.choice() + ["feed"] + arguments + ["-d", "/nowhere"]
                )
                expectFailure(.notAllowed, outside)
            }
            #expect(try await destinations().count == 3)
            scene.expectNoOwnDaemon()
        }

        @Test func `waiting continues when the daemon of another machine is restarted`()
            async throws
        {
            let scene = try await RemoteScene.make(at: "127.0.0.1:\(try UnusedPort.find())")
            let large = Resource(size: 12 << 20)
            let workshop = scene.daemon.workshop
            scene.daemon.serveHeld(large)
            try await scene.succeed("add", workshop.url, "-x", "1")
            let waiting = try scene.user.start(scene.choice() + ["wait", "1"], [:])
            try await scene.daemon.waitForEvents(.started)
            // A command to which the daemon has never responded does not wait for it.
            while try await !scene.secure.ask("/metrics").body.contains("pawl_event_readers 1") {
                try Task.checkCancellation()
            }
            workshop.serve(.resource(large))
            try await scene.daemon.succeed("daemon", "restart")
            #expect(await waiting.waitForExit() == .code(0), "\(waiting.errors)")
            #expect(try large.verify(fileAt: "\(scene.downloads)/\(Workshop.name)") == nil)
            try await scene.daemon.succeed("daemon", "stop")
            let absent = try await scene.run("list")
            expectFailure(.daemonUnavailable, absent)
        }
    }
}
