import Glibc
import Synchronization
import SystemPackage

/// The thread of a relay, and the commands that it receives.
final class RelayLoop: Sendable {
    private struct Command: Sendable {
        var body: @Sendable (inout RelayState) -> Void
        var isDone = Gate()
    }

    private struct Inbox: Sendable {
        var commands: [Command] = []
        var isClosed = false
    }

    let port: UInt16
    let ledger = Observed(RelaySnapshot())
    private let target: TCPRelay.Target
    private let listener: OriginSocket
    /// The two ends of a pair of sockets: what is written to the second wakes the thread.
    private let wakeup: (reader: Int32, writer: Int32)
    private let inbox = Mutex(Inbox())

    init(to target: TCPRelay.Target) throws(Errno) {
        self.target = target
        listener = try OriginSocket(port: 0, onAllAddresses: false)
        port = listener.port
        var pair: [Int32] = [-1, -1]
        let type =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else {
            let error = Errno(rawValue: errno)
            Glibc.close(listener.descriptor)
            throw error
        }
        wakeup = (pair[0], pair[1])
    }

    deinit {
        Glibc.close(wakeup.reader)
        Glibc.close(wakeup.writer)
    }

    func start() throws(Errno) {
        do throws(Errno) {
            try BlockingThread.start { [self] in run() }
        } catch {
            Glibc.close(listener.descriptor)
            throw error
        }
    }

    /// Has the thread carry out a command, and waits until it has; does nothing once it has ended.
    func perform(_ body: @escaping @Sendable (inout RelayState) -> Void) {
        let command = Command(body: body)
        let isOpen = inbox.withLock { inbox in
            if !inbox.isClosed { inbox.commands.append(command) }
            return !inbox.isClosed
        }
        guard isOpen else { return }
        var one: UInt8 = 1
        _ = write(wakeup.writer, &one, 1)
        command.isDone.wait()
    }

    private func run() {
        var state = RelayState(target, listener, ledger)
        while !state.isStopped {
            var entries = [pollfd(fd: wakeup.reader, events: Int16(POLLIN), revents: 0)]
            let interests = state.interests
            entries += interests.map(\.entry)
            poll(&entries, nfds_t(entries.count), -1)
            let isCommanded = entries[0].revents != 0
            if isCommanded {
                var bytes = [UInt8](repeating: 0, count: 64)
                _ = read(wakeup.reader, &bytes, bytes.count)
                carryOutCommands(&state)
            } else {
                // A command may have changed what is of interest.
                for (interest, entry) in zip(interests, entries.dropFirst())
                where entry.revents != 0 {
                    state.advance(interest.what)
                }
            }
        }
        inbox.withLock { $0.isClosed = true }
        carryOutCommands(&state)
    }

    private func carryOutCommands(_ state: inout RelayState) {
        let commands = inbox.withLock { inbox in
            defer { inbox.commands = [] }
            return inbox.commands
        }
        for command in commands {
            command.body(&state)
            command.isDone.open()
        }
    }
}

/// The connections of a relay and what a test has demanded; only the relay's thread uses it.
struct RelayState {
    /// Something that can become ready.
    enum Source {
        case listener
        case connection(Int, RelayDirection)
    }

    private struct Cut {
        var number: Int
        var point: RelayCut
        var times: Int
        var ending: Ending
    }

    private(set) var isStopped = false
    /// The directions in which nothing is forwarded.
    var held: Set<RelayDirection> = []
    private let target: TCPRelay.Target
    private let port: UInt16
    private let ledger: Observed<RelaySnapshot>
    private var listener: OriginSocket?
    private var connections: [Int: RelayConnection] = [:]
    private var lastConnection = 0
    private var cuts: [Cut] = []
    private var lastCut = 0

    init(
        _ target: TCPRelay.Target,
        _ listener: OriginSocket,
        _ ledger: Observed<RelaySnapshot>
    ) {
        (self.target, self.listener, self.ledger) = (target, listener, ledger)
        port = listener.port
        Self.unblock(listener)
    }

    /// What the relay waits for now.
    var interests: [(what: Source, entry: pollfd)] {
        var found: [(what: Source, entry: pollfd)] = []
        if let listener {
            let entry = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
            found.append((.listener, entry))
        }
        for (number, connection) in connections {
            for direction in RelayDirection.allCases where !held.contains(direction) {
                guard let entry = connection.interest(direction) else { continue }
                found.append((.connection(number, direction), entry))
            }
        }
        return found
    }

    mutating func advance(_ source: Source) {
        switch source {
        case .listener: acceptConnection()
        case .connection(let number, let direction): forward(number, direction)
        }
    }

    // MARK: - Commands

    mutating func cutAll(_ ending: Ending) {
        for number in connections.keys.sorted() { cut(number, ending) }
    }

    mutating func refuse() {
        if let listener { Glibc.close(listener.descriptor) }
        listener = nil
    }

    mutating func listen() {
        guard listener == nil, !isStopped else { return }
        // The port was free a moment ago; without it, clients remain refused.
        listener = try? OriginSocket(port: port, onAllAddresses: false)
        if let listener { Self.unblock(listener) }
    }

    mutating func add(_ point: RelayCut, times: Int, _ ending: Ending) {
        lastCut += 1
        cuts.append(Cut(number: lastCut, point: point, times: times, ending: ending))
    }

    mutating func removeCuts() { cuts = [] }

    mutating func stop() {
        cutAll(.reset)
        refuse()
        isStopped = true
    }

    // MARK: - Connections

    private static func unblock(_ listener: OriginSocket) {
        // Otherwise, the thread would wait for a client that has left again.
        _ = fcntl(listener.descriptor, F_SETFL, O_NONBLOCK)
    }

    private mutating func acceptConnection() {
        guard let client = listener?.accept() else { return }
        guard let server = connect() else {
            RelayConnection(client: client, server: -1).close(.reset)
            return
        }
        Self.sendAtOnce(client)
        lastConnection += 1
        connections[lastConnection] = RelayConnection(client: client, server: server)
        ledger.update { snapshot in
            snapshot.connections += 1
            snapshot.open += 1
        }
    }

    private mutating func forward(_ number: Int, _ direction: RelayDirection) {
        guard var connection = connections[number] else { return }
        let outcome = connection.advance(
            direction,
            cuts.map { ($0.number, $0.point) },
            forwarded: { count in
                ledger.update { $0.bytes[direction, default: 0] += count }
            }
        )
        connections[number] = connection
        switch outcome {
        case .continues: break
        case .ended: close(number, .close)
        case .broken: close(number, .reset)
        case .cut(let rule):
            guard let index = cuts.firstIndex(where: { $0.number == rule }) else { return }
            let ending = cuts[index].ending
            cuts[index].times -= 1
            if cuts[index].times <= 0 { cuts.remove(at: index) }
            cut(number, ending)
        }
    }

    private mutating func cut(_ number: Int, _ ending: Ending) {
        close(number, ending)
        ledger.update { $0.cuts += 1 }
    }

    private mutating func close(_ number: Int, _ ending: Ending) {
        connections.removeValue(forKey: number)?.close(ending)
        ledger.update { $0.open -= 1 }
    }

    /// Connects to the server; returns `nil` if it refuses.
    private func connect() -> Int32? {
        switch target {
        case .port(let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return connect(AF_INET, &address, MemoryLayout<sockaddr_in>.size)
        case .socket(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
                guard bytes.count < room.count else { return false }
                room.copyBytes(from: bytes)
                return true
            }
            return fits ? connect(AF_UNIX, &address, MemoryLayout<sockaddr_un>.size) : nil
        }
    }

    private func connect<Address>(
        _ family: Int32,
        _ address: inout Address,
        _ size: Int
    ) -> Int32? {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { return nil }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(size)) == 0
            }
        }
        guard isConnected else {
            Glibc.close(descriptor)
            return nil
        }
        Self.sendAtOnce(descriptor)
        return descriptor
    }

    /// Has the kernel send small pieces at once; it refuses that for Unix sockets, which do so anyway.
    private static func sendAtOnce(_ descriptor: Int32) {
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    }
}
