import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AddressRangeTests {
    private func contains(_ range: String, _ address: String) throws -> Bool {
        try #require(AddressRange(range)).contains(try #require(IPAddress(address)))
    }

    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("10.0.0.0/8", "10.255.0.1"), ("10.0.0.0/9", "10.127.0.1"),
            ("0.0.0.0/0", "8.8.8.8"), ("192.0.2.4/31", "192.0.2.5"), ("::1", "::1"),
            ("2001:db8::/32", "2001:db8:ffff::1"), ("10.0.0.0/8", "::ffff:10.1.2.3"),
        ]
    )
    func `a range contains the addresses with its first bits`(range: String, address: String) throws
    {
        #expect(try contains(range, address))
    }

    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.2"), ("10.0.0.0/8", "11.0.0.0"), ("10.0.0.0/9", "10.128.0.1"),
            ("192.0.2.4/31", "192.0.2.6"), ("0.0.0.0/0", "::1"), ("::/0", "127.0.0.1"),
            ("2001:db8::/33", "2001:db8:8000::1"),
        ]
    )
    func `a range contains no other address`(range: String, address: String) throws {
        #expect(try !contains(range, address))
    }

    @Test(
        arguments: [
            "", "/", "localhost", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8",
            "10.0.0.0/8/8", "::1/129", "10.0.0/8", "*",
        ]
    )
    func `anything else is not a range`(text: String) { #expect(AddressRange(text) == nil) }

    @Test(
        arguments: [
            "127.0.0.1", "::1", "::", "2001:db8::1", "2001:db8:0:1::", "1:2:3:4:5:6:7:8",
            "2001:0:0:1::1", "1:0:2:3:4:5:6:7",
        ]
    )
    func `an address is displayed in its shortest form`(text: String) throws {
        #expect(try #require(IPAddress(text)).text == text)
        #expect(try #require(IPAddress("2001:0DB8:0:0:1:0:0:1")).text == "2001:db8::1:0:0:1")
    }
}
