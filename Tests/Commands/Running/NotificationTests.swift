import Glibc
import PawlCore
import PawlTesting
import Testing

/// What the tests of notifications need.
private let notificationFiles: [String] = [
    "/usr/bin/dbus-daemon", "/usr/bin/busctl", "/usr/lib/python3/dist-packages/gi/__init__.py",
]

/// Notifications on the desktop, with a D-Bus and a notification daemon of the test.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: notificationFiles.allSatisfy { access($0, F_OK) == 0 })
)
struct NotificationTests {
    /// Prints each notification as one line.
    private static let program = """
        from gi.repository import Gio, GLib

        INTERFACE = '''<node><interface name="org.freedesktop.Notifications"><method name="Notify">
        <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
        <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
        <arg type="a{sv}" direction="in"/><arg type="i" direction="in"/>
        <arg type="u" direction="out"/></method></interface></node>'''

        def call(connection, sender, path, interface, method, arguments, invocation):
            app, _, _, title, text, _, hints, _ = arguments.unpack()
            print(f"{app}|{title}|{text}|{hints['urgency']}", flush=True)
            invocation.return_value(GLib.Variant("(u)", (1,)))

        def connected(bus, name):
            node = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0]
            bus.register_object("/org/freedesktop/Notifications", node, call, None, None)

        def named(bus, name):
            print("ready", flush=True)

        Gio.bus_own_name(Gio.BusType.SESSION, "org.freedesktop.Notifications", 0, connected, named, None)
        GLib.MainLoop().run()
        """

    /// A bus with a notification daemon.
    private struct Desktop {
        let folder: ScratchFolder
        let bus: ProcessRunner
        let notifications: ProcessRunner

        static func start() async throws -> Desktop {
            let folder = try ScratchFolder()
            let address = "unix:path=\(folder.path("bus"))"
            let bus = try ProcessRunner(
                "/usr/bin/dbus-daemon",
                [
                    "--session", "--nofork", "--nopidfile", "--address=\(address)",
                    "--print-address=1",
                ]
            )
            #expect(await bus.waitForOutput(containing: "\n"), "\(bus.errors)")
            var settings = ProcessSettings()
            settings.environment["DBUS_SESSION_BUS_ADDRESS"] = address
            let notifications = try ProcessRunner(
                "/usr/bin/python3",
                ["-c", NotificationTests.program],
                settings
            )
            #expect(await notifications.waitForOutput(containing: "ready"))
            return Desktop(folder: folder, bus: bus, notifications: notifications)
        }

        var settings: ProcessSettings {
            var settings = ProcessSettings()
            settings.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(folder.path("bus"))"
            return settings
        }
    }

    @Test func `a finished download is shown, and nothing in its name is markup`() async throws {
        let desktop = try await Desktop.start()
        let workshop = try Workshop(Resource(size: 1000))
        let run = try await workshop.run(
            [workshop.url, "--notify", "--output", "a<b>&c"],
            desktop.settings
        )
        #expect(run.status == .code(0))
        let line = "Pawl|Download complete|a&lt;b&gt;&amp;c|1\n"
        #expect(await desktop.notifications.waitForOutput(containing: line), "\(run.errors)")
    }

    @Test func `a failed download is shown as urgent, with the reason`() async throws {
        let desktop = try await Desktop.start()
        let workshop = try Workshop()
        workshop.serve(.status(404))
        _ = try await workshop.run([workshop.url, "--notify"], desktop.settings)
        let line = await desktop.notifications.waitForLine(
            beginning: "Pawl|Download failed",
            number: 1
        )
        #expect(line?.hasPrefix("Pawl|Download failed|\(Workshop.name): ") == true)
        #expect(line?.hasSuffix("|2") == true)
    }

    @Test func `without a desktop, the download is not a failure`() async throws {
        let workshop = try Workshop(Resource(size: 1000))
        var settings = ProcessSettings()
        settings.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere"
        let run = try await workshop.run([workshop.url, "--notify"], settings)
        #expect(run.status == .code(0))
        #expect(run.errors.contains("notification"))
    }
}
