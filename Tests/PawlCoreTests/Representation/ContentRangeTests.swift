import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ContentRangeTests {
    @Test(arguments: [
        ("bytes 0-499/1000", ContentRange.part(ByteRange(0, 500), total: 1000)),
        ("bytes 500-999/1000", .part(ByteRange(500, 1000), total: 1000)),
        ("bytes 0-0/1", .part(ByteRange(0, 1), total: 1)),
        ("bytes 42-1233/*", .part(ByteRange(42, 1234), total: nil)),
        ("bytes */1000", .unsatisfied(total: 1000)),
        ("bytes */0", .unsatisfied(total: 0)),
        ("  Bytes  0-499/1000 ", .part(ByteRange(0, 500), total: 1000)),
        (
            "bytes 0-9223372036854775806/9223372036854775807",
            .part(ByteRange(0, .max), total: .max)
        ),
    ])
    func `a range is parsed`(text: String, expected: ContentRange) {
        #expect(ContentRange(parsing: text) == expected)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-499", "bytes 0-499/", "bytes -499/1000", "bytes 0-/1000",
        "bytes=0-499/1000", "items 0-499/1000", "bytes */*", "bytes *", "bytes 0 - 499/1000",
        "bytes 5-4/1000", "bytes 0-1000/1000", "bytes 0-999/999", "bytes 0-499/-1",
        "bytes -5-4/1000", "bytes +0-499/1000", "bytes 0x0-1/2", "bytes 0-499/1000, bytes 0-1/2",
        "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775808/9223372036854775809",
        "bytes 99999999999999999999999-99999999999999999999999/*", "bytes 0-1/2x",
        "bytes ٠-١/٢",
    ])
    func `an invalid range is refused`(text: String) {
        #expect(ContentRange(parsing: text) == nil)
    }
}
