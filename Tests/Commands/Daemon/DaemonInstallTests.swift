import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// `pawl daemon install` and `uninstall` with a `systemctl` that records its arguments.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonInstallTests {
        private struct Scene {
            let daemon: DaemonScene

            /// The effect of `systemctl --user` besides recording its arguments.
            init(systemctl script: String = "exit 0") throws {
                daemon = try DaemonScene(Workshop())
                try daemon.home.makeFolder("bin")
                let text = "#!/bin/sh\nshift\necho \"$*\" >>\"$HOME/asked\"\n\(script)\n"
                let path = try daemon.home.write("bin/systemctl", Array(text.utf8))
                chmod(path, 0o755)
            }

            func run(_ arguments: String...) async throws -> FinishedProcess {
                var settings = daemon.settings
                settings.environment["XDG_CONFIG_HOME"] = daemon.home.path("config")
                let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
                settings.environment["PATH"] = "\(daemon.home.path("bin")):\(path)"
                return try await daemon.workshop.run(["daemon"] + arguments, settings)
            }

            /// The arguments of systemctl since the last call of this function.
            func asked() throws -> [String] {
                let text = (try? daemon.home.readText("asked")) ?? ""
                unlink(daemon.home.path("asked"))
                return text.split(separator: "\n").map(String.init)
            }

            let units = "config/systemd/user"

            func makeUnitFolder() throws {
                for name in ["config", "config/systemd", units] {
                    try daemon.home.makeFolder(name)
                }
            }

            var unitNames: [String] {
                FolderTree.entries(below: daemon.home.path(units)).sorted()
            }
        }

        private static let both = ["pawld.service", "pawld.socket"]

        @Test func `install writes and enables the units and can be repeated`()
            async throws
        {
            let scene = try Scene()
            let first = try await scene.run("install", "--jobs", "3")
            #expect(first.status == .code(0), "\(first.errors)")
            #expect(
                first.errors.contains("loginctl enable-linger") || first.errors.contains("boot")
            )
            #expect(scene.unitNames == Self.both)
            #expect(
                try scene.asked() == [
                    "daemon-reload", "enable pawld.socket pawld.service", "restart pawld.socket",
                ]
            )
            let service = try scene.daemon.home.readText("\(scene.units)/pawld.service")
            #expect(
                service.contains("ExecStart=\"\(BuiltProduct.path("pawld"))\" \"--jobs\" \"3\"\n")
            )
            let state = scene.daemon.home.path("state")
            #expect(service.contains("Environment=\"XDG_STATE_HOME=\(state)\"\n"))
            let socket = try scene.daemon.home.readText("\(scene.units)/pawld.socket")
            let path = scene.daemon.home.path("run/pawl/daemon.sock")
            #expect(socket.contains("ListenStream=\(path)\n"))
            let second = try await scene.run("install", "--jobs", "3")
            #expect(second.status == .code(0), "\(second.errors)")
            #expect(second.errors.contains("Already installed"))
            #expect(try scene.asked().last == "start pawld.socket")
            #expect(scene.unitNames == Self.both)
            #expect(try scene.daemon.home.readText("\(scene.units)/pawld.service") == service)
        }

        @Test(.enabled(if: access("/usr/bin/systemd-analyze", X_OK) == 0))
        func `systemd finds nothing wrong with the units`() async throws {
            let scene = try Scene()
            #expect(try await scene.run("install").status == .code(0))
            let paths = Self.both.map { scene.daemon.home.path("\(scene.units)/\($0)") }
            let check = try await ProcessRunner.run(
                "systemd-analyze",
                ["verify", "--user", "--man=no"] + paths,
                scene.daemon.workshop.complete(scene.daemon.settings)
            )
            #expect(check.status == .code(0), "\(check.errors)")
            #expect(!check.errors.contains("pawld"), "\(check.errors)")
        }

        @Test func `uninstall removes the units and can be repeated`() async throws {
            let scene = try Scene()
            _ = try await scene.run("install")
            try scene.daemon.home.makeFolder("\(scene.units)/sockets.target.wants")
            symlink(
                scene.daemon.home.path("\(scene.units)/pawld.socket"),
                scene.daemon.home.path("\(scene.units)/sockets.target.wants/pawld.socket")
            )
            _ = try scene.asked()
            let first = try await scene.run("uninstall")
            #expect(first.status == .code(0), "\(first.errors)")
            #expect(scene.unitNames == ["sockets.target.wants/"])
            #expect(
                try scene.asked() == [
                    "disable --now pawld.socket pawld.service", "daemon-reload",
                ]
            )
            let second = try await scene.run("uninstall")
            #expect(second.status == .code(0), "\(second.errors)")
            #expect(second.errors.contains("Nothing to remove"))
            #expect(try scene.asked().isEmpty)
        }

        @Test func `without systemd, the commands to run are printed`() async throws {
            let scene = try Scene(systemctl: "echo 'Failed to connect to bus' >&2; exit 1")
            let run = try await scene.run("install")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(scene.unitNames == Self.both)
            for line in [
                "Failed to connect to bus", "systemctl --user daemon-reload",
                "systemctl --user enable --now pawld.socket",
                "systemctl --user enable pawld.service", "loginctl enable-linger",
            ] {
                #expect(run.errors.contains(line), "\(line)")
            }
            let back = try await scene.run("uninstall")
            #expect(back.status == .code(0), "\(back.errors)")
            #expect(scene.unitNames.isEmpty)
        }

        @Test func `an error of systemd is reported with its reason`() async throws {
            let scene = try Scene(
                systemctl: "[ \"$1\" != enable ] || { echo 'Unit is masked.' >&2; exit 1; }"
            )
            let run = try await scene.run("install")
            #expect(run.status == .code(ErrorCode.daemonUnavailable.exitStatus))
            #expect(run.errors.contains("Unit is masked."))
        }

        @Test(arguments: both, [true, false])
        func `a unit that Pawl did not write is not changed`(name: String, isLink: Bool)
            async throws
        {
            let scene = try Scene()
            try scene.makeUnitFolder()
            let path = scene.daemon.home.path("\(scene.units)/\(name)")
            let text = "[Unit]\nDescription=mine\n"
            if isLink {
                symlink("/dev/null", path)
            } else {
                try scene.daemon.home.write("\(scene.units)/\(name)", Array(text.utf8))
            }
            for verb in ["install", "uninstall"] {
                let run = try await scene.run(verb)
                expectFailure(.fileExists, run)
                #expect(run.errors.contains(name))
            }
            #expect(scene.unitNames == [name])
            #expect(try scene.asked().isEmpty)
            if !isLink {
                #expect(try scene.daemon.home.readText("\(scene.units)/\(name)") == text)
            }
        }

        @Test func `a running daemon is stopped and started as a service`() async throws {
            let scene = try Scene(systemctl: "[ \"$1\" != is-active ]")
            let daemon = try await scene.daemon.startDaemon()
            let run = try await scene.run("install")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(await daemon.waitForExit() == .code(0))
            #expect(try scene.asked().last == "start --no-block pawld.service")
        }

        @Test func `the listen address is saved in the settings and not in the unit`() async throws
        {
            let scene = try Scene()
            let run = try await scene.run("install", "--jobs", "3", "--listen", "127.0.0.1:0")
            #expect(run.status == .code(0), "\(run.errors)")
            let service = try scene.daemon.home.readText("\(scene.units)/pawld.service")
            #expect(service.contains("\"--jobs\" \"3\"\n") && !service.contains("--listen"))
            // No daemon is left that systemd has not started.
            expectFailure(.daemonUnavailable, try await scene.daemon.run("daemon", "status"))
            try await scene.daemon.succeed("daemon", "start")
            let status = try await scene.daemon.succeed("daemon", "status", "--json")
            #expect(
                try WireJSON.decode(DaemonStatus.self, from: status.output.utf8).url != nil
            )
            try await scene.daemon.succeed("daemon", "stop")
        }

        @Test func `a dry run and an invalid option change nothing`() async throws {
            let scene = try Scene()
            let shown = try await scene.run("install", "--print")
            #expect(shown.status == .code(0), "\(shown.errors)")
            #expect(shown.output.contains("[Socket]") && shown.output.contains("[Service]"))
            let same = try await scene.run("install", "--dry-run")
            #expect(same.output == shown.output)
            let wrong: [[String]] = [
                ["--jobs", "0"], ["--jobs", "many"], ["now"], ["--force"],
            ]
            for words in wrong {
                let run = try await scene.daemon.workshop.run(
                    ["daemon", "install"] + words,
                    scene.daemon.settings
                )
                #expect(run.status == .code(ErrorCode.usage.exitStatus), "\(words)")
                #expect(run.errors.hasPrefix("pawl: "), "\(run.errors)")
            }
            let more = try await scene.run("uninstall", "everything")
            #expect(more.status == .code(ErrorCode.usage.exitStatus))
            #expect(!scene.daemon.home.exists("config") && !scene.daemon.home.exists("state"))
            #expect(try scene.asked().isEmpty)
        }
    }
}
