import Glibc
import SystemPackage

/// The master side of a pseudo-terminal.
///
/// It uses ioctl, because Swift's Glibc module lacks posix_openpt.
struct PseudoTerminal {
    let master: Int32
    /// The path that the child opens.
    let path: String

    private static let unlock: UInt = 0x4004_5431  // TIOCSPTLCK
    private static let number: UInt = 0x8004_5430  // TIOCGPTN
    private static let setSize: UInt = 0x5414  // TIOCSWINSZ

    init(_ size: TerminalSize) throws(Errno) {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0 else { throw Errno(rawValue: errno) }
        var locked: Int32 = 0
        var number: UInt32 = 0
        guard ioctl(master, Self.unlock, &locked) == 0, ioctl(master, Self.number, &number) == 0
        else {
            let error = Errno(rawValue: errno)
            close(master)
            throw error
        }
        self.master = master
        path = "/dev/pts/\(number)"
        Self.resize(master, to: size)
    }

    /// Sets the terminal's size; the kernel informs the foreground processes by SIGWINCH.
    static func resize(_ master: Int32, to size: TerminalSize) {
        var window = winsize(
            ws_row: size.rows,
            ws_col: size.columns,
            ws_xpixel: 0,
            ws_ypixel: 0
        )
        _ = ioctl(master, setSize, &window)
    }
}
