import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct XMLTextTests {
    @Test(
        arguments: [
            ("", ""), ("plain \"text\" 'ä'", "plain \"text\" 'ä'"), ("a<b>&c", "a&lt;b&gt;&amp;c"),
            ("a\tb\nc", "a\tb\nc"), ("a\rb\r\nc", "a&#13;b&#13;\nc"),
            ("a\0b\u{1F}c\u{FFFE}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}"),
        ]
    )
    func `a text becomes the content of an element`(text: String, content: String) {
        #expect(text.escapedForXML == content)
    }
}
