internal import CBench
internal import Glibc

/// The outer end of a TUN device: packets sent in the namespace are received here, and vice versa.
struct Tunnel {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let descriptor: Int32

    /// Opens the device.
    ///
    /// The calling thread stays in that namespace.
    init(_ device: String, network: String) throws {
        guard bench_enter_network("/run/netns/" + network) == 0 else {
            throw Failure(description: "\(network): \(String(cString: strerror(errno)))")
        }
        descriptor = bench_open_tunnel(device)
        guard descriptor >= 0 else {
            throw Failure(
                description: "\(device) in \(network): \(String(cString: strerror(errno)))"
            )
        }
    }

    /// Returns the next packet; `nil` if none is available.
    func receive(_ buffer: inout [UInt8]) -> [UInt8]? {
        let count = read(descriptor, &buffer, buffer.count)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Sends a packet.
    ///
    /// If the device's queue is full, the packet is lost, as on any link.
    func send(_ packet: [UInt8]) {
        _ = write(descriptor, packet, packet.count)
    }
}
