import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MemberScanTests {
    private func stranger(_ text: String, _ name: String = "NewDownloads") -> [String]? {
        MemberScan.stranger(in: text.utf8, .named(name))?.path
    }

    @Test func `members in the document are accepted`() {
        for text in [
            "{}", "[]", "1", "null", "\"x\"", "true", " {\"downloads\" : [ ] } ",
            #"{"downloads":[{"url":"a","settings":{"fields":[{"name":"x","value":"{\"y\":1}"}]}},{}]}"#,
            #"{"downloads":[1,-2.5e3,null,"a,b]",{"url":{"any":1}}]}"#,
            #"{"download\u0073":null}"#,
        ] {
            #expect(stranger(text) == nil, "\(text)")
        }
        #expect(stranger(#"{"timetable":[{"from":"22:00"}]}"#, "SettingsChange") == nil)
        #expect(stranger(#"{"odd":1}"#, "No such schema") == nil)
    }

    @Test func `a member missing from the document is reported with its path`() {
        #expect(stranger(#"{"odd":1}"#) == ["odd"])
        #expect(stranger(#"{"downloads":[],"o\u0064d":1}"#) == ["odd"])
        #expect(
            stranger(#"{"downloads":[{"url":"}]\\\""},{"url":"a","urls":"b"}]}"#)
                == ["downloads", "2", "urls"]
        )
        #expect(
            stranger(#"{"downloads":[{"settings":{"mirrors":["a"],"mirror":"b"}}]}"#)
                == ["downloads", "1", "settings", "mirror"]
        )
        #expect(
            stranger(#"{"timetable":[{"from":"1"},{"form":"1"}]}"#, "SettingsChange")
                == ["timetable", "2", "form"]
        )
        let known = MemberScan.stranger(in: #"{"x":1}"#.utf8, .named("Login"))?.known
        #expect(known == ["code", "token"])
    }

    @Test func `malformed JSON ends the scan`() {
        for text in [
            "", "{", "[", "{\"", "{\"a", "{\"a\\", "{\"downloads\":", "[1", "{\"downloads\":[{",
            "\\",
        ] {
            _ = stranger(text)
        }
    }
}
