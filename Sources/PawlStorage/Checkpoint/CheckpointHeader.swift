internal import PawlCore

/// The first block of a checkpoint file, which contains its version and the size of its slots.
package struct CheckpointHeader: Hashable {
    package static let magic = Array("PAWLCKPT".utf8)
    static let currentVersion: UInt32 = 1
    /// The length of the block.
    ///
    /// It contains only the header, so that writing a slot never changes it.
    package static let length = 4096
    /// The length of magic, version and slot size, which the following checksum covers.
    private static let coveredLength = 16

    package var slotSize: Int

    package init(slotSize: Int) { self.slotSize = slotSize }

    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: Self.length)
        writer.append(Self.magic)
        writer.put(Self.currentVersion)
        writer.put(UInt32(clamping: slotSize))
        writer.put(writer.bytes.withUnsafeBytes(SHA256.prefix))
        writer.pad(to: Self.length)
        return writer.bytes
    }

    enum Reading: Hashable {
        case sound(CheckpointHeader)
        case foreign
        case newer(UInt32)
        case torn(String)
    }

    static func read(_ bytes: [UInt8]) -> Reading {
        guard bytes.contains(where: { $0 != 0 }) else { return .torn("it is empty") }
        guard bytes.starts(with: magic) else { return .foreign }
        var reader = ByteReader(bytes.dropFirst(magic.count))
        do throws(MalformedBytes) {
            let version = try reader.number(UInt32.self)
            switch version {
            case currentVersion:
                return try readVersion1(&reader, covered: bytes.prefix(coveredLength))
            // Each older version gets a case here that reads it into the current values.
            case 0: return .torn("its version is 0")
            default: return .newer(version)
            }
        } catch {
            return .torn("its head is \(error.what)")
        }
    }

    private static func readVersion1(
        _ reader: inout ByteReader,
        covered: ArraySlice<UInt8>
    ) throws(MalformedBytes) -> Reading {
        let slotSize = Int(clamping: try reader.number(UInt32.self))
        let checksum = try reader.number(UInt64.self)
        guard covered.withUnsafeBytes(SHA256.prefix) == checksum else {
            return .torn("the checksum of its head is wrong")
        }
        guard
            (CheckpointLimits.smallestSlot...CheckpointLimits.largestSlot).contains(slotSize),
            slotSize.isMultiple(of: CheckpointLimits.smallestSlot)
        else { return .torn("its slots have an impossible size") }
        return .sound(CheckpointHeader(slotSize: slotSize))
    }
}
