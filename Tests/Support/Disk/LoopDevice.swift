import Glibc
import SystemPackage

/// A file as a block device (`loop(4)`), which is detached when the object is released.
final class LoopDevice: Sendable {
    /// The name of the device, such as `loop3`.
    let name: String
    private let descriptor: Int32

    private static let control = "/dev/loop-control"
    private static let getFree: UInt = 0x4C82  // LOOP_CTL_GET_FREE
    private static let setFile: UInt = 0x4C00  // LOOP_SET_FD
    private static let clearFile: UInt = 0x4C01  // LOOP_CLR_FD
    private static let mostAttempts = 64

    /// Attaches the image to a free device.
    ///
    /// Throws `Errno`.
    init(image: String) throws(Errno) {
        let image = try Self.open(image)
        defer { close(image) }
        let control = try Self.open(Self.control)
        defer { close(control) }
        for _ in 0..<Self.mostAttempts {
            let number = ioctl(control, Self.getFree, 0)
            guard number >= 0 else { throw Errno(rawValue: errno) }
            let name = "loop\(number)"
            let device = try Self.open("/dev/\(name)")
            if ioctl(device, Self.setFile, image) == 0 {
                self.name = name
                descriptor = device
                return
            }
            let error = Errno(rawValue: errno)
            close(device)
            // Another process took this device first.
            guard error == .resourceBusy else { throw error }
        }
        throw .resourceBusy
    }

    /// Detaches the device; if it is still mounted, the kernel detaches it at unmount.
    deinit {
        _ = ioctl(descriptor, Self.clearFile, 0)
        close(descriptor)
    }

    var path: String { "/dev/\(name)" }

    static var isAvailable: Bool { access(control, R_OK | W_OK) == 0 }

    private static func open(_ path: String) throws(Errno) -> Int32 {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        return descriptor
    }
}
