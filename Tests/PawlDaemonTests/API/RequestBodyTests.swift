import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RequestBodyTests {
    /// The refusal of a body; `nil` if it is accepted.
    private func refusal<Value: RequestObject>(
        _ text: some StringProtocol,
        _ type: Value.Type = NewDownloads.self
    ) -> DownloadError? {
        refusal(Array(text.utf8), type)
    }

    private func refusal<Value: RequestObject>(
        _ bytes: [UInt8],
        _ type: Value.Type = NewDownloads.self
    ) -> DownloadError? {
        do throws(DownloadError) {
            _ = try RequestBody.decode(type, from: bytes)
            return nil
        } catch {
            return error
        }
    }

    private func unknown<Value: RequestObject>(
        _ text: String,
        _ type: Value.Type = NewDownloads.self
    ) -> String? {
        guard let message = refusal(text, type)?.message else { return nil }
        let (start, end) = ("the body: unknown member '", "'")
        guard message.hasPrefix(start), message.hasSuffix(end) else { return nil }
        return String(message.dropFirst(start.count).dropLast(end.count))
    }

    @Test func `known members are accepted`() {
        for text in [
            #"{"downloads":[]}"#, " {\"downloads\" : [ ] } ", #"{"download\u0073":[]}"#,
            #"{"downloads":[{"url":"a","destination":"","settings":{"fields":[{"name":"x","value":"{\"y\":1}"}]}}]}"#,
            #"{"downloads":[{"url":"a","destination":"","settings":null,"notBefore":null}]}"#,
        ] {
            #expect(refusal(text) == nil, "\(text)")
        }
        for text in ["{}", #"{"timetable":null}"#, #"{"timetable":[{"from":"22:00"}]}"#] {
            #expect(refusal(text, DaemonSettingsChange.self) == nil, "\(text)")
        }
        #expect(
            refusal(
                #"{"selection":{"all":true},"changes":{"connections":2}}"#,
                SelectedChanges.self
            ) == nil
        )
    }

    @Test func `an unknown member is reported with its path and the known ones`() {
        #expect(unknown(#"{"odd":1}"#) == "odd")
        #expect(unknown(#"{"downloads":[],"o\u0064d":1}"#) == "odd")
        #expect(
            unknown(#"{"downloads":[{"url":"}]\\\""},{"url":"a","urls":"b"}]}"#)
                == "downloads.2.urls"
        )
        #expect(
            unknown(#"{"downloads":[{"settings":{"mirrors":["a"],"mirror":"b"}}]}"#)
                == "downloads.1.settings.mirror"
        )
        #expect(
            unknown(#"{"downloads":[{"settings":{"fields":[{"nam":"b"}]}}]}"#)
                == "downloads.1.settings.fields.1.nam"
        )
        #expect(
            unknown(#"{"downloads":[{"settings":{"credentials":{"user":"b"}}}]}"#)
                == "downloads.1.settings.credentials.user"
        )
        #expect(
            unknown(#"{"timetable":[{"from":"1"},{"form":"1"}]}"#, DaemonSettingsChange.self)
                == "timetable.2.form"
        )
        // A setting that cannot change while a download runs.
        #expect(
            unknown(#"{"selection":{},"changes":{"retries":1}}"#, SelectedChanges.self)
                == "changes.retries"
        )
        #expect(unknown(#"{"identifer":"s"}"#, SessionRegistration.self) == "identifer")
        #expect(unknown(#"{"events":1}"#, Acknowledgement.self) == "events")
        #expect(unknown(#"{"target":["1"]}"#, Selection.self) == "target")
        let refused = refusal(#"{"x":1}"#, Login.self)
        #expect(refused?.code == .usage)
        #expect(refused?.advice == "use code, token")
        // An answer, or what an older version has stored, may have members of a newer one.
        let stored = try? WireJSON.decode(NewDownloads.self, from: #"{"downloads":[],"x":1}"#.utf8)
        #expect(stored == NewDownloads([]))
    }

    @Test func `malformed bodies are refused`() {
        for text in [
            "", "{", "[", "{\"", "{\"a", "{\"a\\", "{\"downloads\":", "[1", "{\"downloads\":[{",
            "\\",
            "[]", "1", "null", "\"x\"", "true", #"{"downloads":[1,-2.5e3,null,"a,b]"]}"#,
            #"{"downloads":[{"url":{"any":1},"destination":""}]}"#, #"{"downloads":{}}"#,
            "{\"downloads\":[]}{", "{'downloads':[]}",
        ] {
            #expect(refusal(text)?.code == .usage, "\(text)")
        }
        let invalid = Array(#"{"downloads":[{"url":"a","destination":""#.utf8)
        #expect(refusal(invalid + [0xFF, 0xC0, 0x80] + Array(#""}]}"#.utf8))?.code == .usage)
        #expect(
            refusal(
                Array(#"{"session":"s","event":1,""#.utf8) + [0xFF] + Array("\":1}".utf8),
                Acknowledgement.self
            ) != nil
        )
    }

    @Test func `junk, deep nesting and huge numbers are refused quickly`() {
        let nested = String(repeating: #"{"downloads":["#, count: 70_000)
        #expect(refusal(nested)?.message == "the body: lists and objects are nested too deeply")
        for piece in ["[]", "{", "\"", "\u{0}", "x", "9", "{\"a\":1},", "\\u0000"] {
            let junk = String(repeating: piece, count: (1 << 20) / piece.utf8.count)
            #expect(refusal(junk)?.code == .usage, "\(piece)")
        }
        for item in ["\"\"", "[]", "null"] {
            let items = Array(repeating: item, count: 200_000).joined(separator: ",")
            #expect(refusal("{\"downloads\":[\(items)]}")?.code == .usage, "\(item)")
        }
        let names = (0..<100_000).map { #""\#($0)":\#($0)"# }.joined(separator: ",")
        #expect(unknown("{\(names)}") == "0")
        for number in [
            "1e999", "9223372036854775808", "1.5", "-1e400", String(repeating: "9", count: 100_000),
        ] {
            #expect(
                refusal(#"{"session":"s","event":\#(number)}"#, Acknowledgement.self)?.code
                    == .usage,
                "\(number.prefix(30))"
            )
        }
    }

    @Test func `a repeated member hides no unknown one`() throws {
        for (text, name) in [
            (#"{"downloads":[],"downloads":[]}"#, "downloads"),
            (#"{"downloads":[],"down\u006coads":5}"#, "downloads"),
            (
                #"{"downloads":[{"url":"a","destination":"","settings":{},"settings":{"x":1}}]}"#,
                "settings"
            ),
        ] {
            #expect(refusal(text)?.message == "the body: '\(name)' is given twice in an object")
        }
        // The members of two objects, and names that only look the same, are different.
        #expect(unknown("{\"\u{E9}\":1,\"e\u{301}\":[{\"\u{E9}\":1}]}") != nil)
    }

    @Test func `only UTF-8 and the grammar of RFC 8259 are accepted`() {
        let valid = #"{"session":"a\/\u00e9\ud83d\ude00","event":10}"#
        #expect(refusal(valid, Acknowledgement.self) == nil)
        let wide = valid.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(refusal(wide, Acknowledgement.self)?.message == "the body: not valid JSON")
        #expect(refusal([0xEF, 0xBB, 0xBF] + Array(valid.utf8), Acknowledgement.self) != nil)
        for text in [
            #"{"session":"a","event":1,}"#, #"{,"session":"a","event":1}"#,
            #"{"session":"a","event":01}"#, #"{"session":"a","event":1.}"#,
            #"{"session":"a","event":+1}"#, #"{"session":"a","event":NaN}"#,
            "{\"session\":\"a\n\",\"event\":1}", #"{"session":"\x","event":1}"#,
            #"{"session":"\ud83d","event":1}"#, #"{"session":"\u+123","event":1}"#,
            #"{"session":"a","event":1}//"#, #"{"session":"a" "event":1}"#,
        ] {
            #expect(
                refusal(text, Acknowledgement.self)?.message == "the body: not valid JSON",
                "\(text)"
            )
        }
        #expect(refusal(#"{"downloads":[],}"#) != nil && refusal(#"{"downloads":[{},]}"#) != nil)
    }

    @Test func `a text with U+0000 is refused in a body and in a query`() {
        let cut = refusal(#"{"session":"s\u0000x","event":1}"#, Acknowledgement.self)
        #expect(cut?.message == "the body: a text contains U+0000")
        #expect(refusal(#"{"targets":["a\u0000"]}"#, Selection.self)?.code == .usage)
        #expect(refusal(#"{"session":"\\u0000","event":1}"#, Acknowledgement.self) == nil)
        #expect(throws: DownloadError.self) { try QueryText.parameters("session=a%00b") }
        #expect(throws: DownloadError.self) { try QueryText.parameters("%00=a") }
    }

    @Test func `the methods of a path follow from the routes`() {
        #expect(APIRoute.methods(of: "/v1/downloads") == ["GET", "HEAD", "POST"])
        #expect(APIRoute.methods(of: "/v1/downloads/7") == ["GET", "HEAD"])
        #expect(APIRoute.methods(of: "/v1/downloads/7/resume-data") == ["GET", "HEAD"])
        #expect(APIRoute.methods(of: "/v1/login") == ["POST"])
        #expect(APIRoute.methods(of: "/") == ["GET", "HEAD"])
        #expect(APIRoute.methods(of: "/assets/main.js") == ["GET", "HEAD"])
        #expect(APIRoute.methods(of: "/assets/").isEmpty)
        #expect(APIRoute.methods(of: "/v1/nothing").isEmpty)
        #expect(APIRoute.methods(of: "").isEmpty)
    }
}
