/// Returns bytes that depend on their offset and the version.
package func pattern(_ count: Int, version: UInt8 = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 8)) &+ version }
}
