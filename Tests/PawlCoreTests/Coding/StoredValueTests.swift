import struct FoundationEssentials.Data
import class FoundationEssentials.JSONDecoder
import class FoundationEssentials.JSONEncoder
import struct FoundationEssentials.URL
import PawlCore
import Testing

/// Values that a program would keep: their coded forms are read by later versions.
@Suite(.timeLimit(.minutes(5)))
struct StoredValueTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func value<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    // MARK: - Settings

    @Test func `default settings have an empty form`() throws {
        #expect(try json(DownloadSettings()) == "{}")
        #expect(try value(DownloadSettings.self, "{}").retries == DownloadSettings().retries)
    }

    @Test func `settings keep everything that differs from the defaults, including secrets`() throws
    {
        var settings = DownloadSettings()
        settings.retries = 3
        settings.checksum = .none
        settings.connection.connectTimeout = .milliseconds(1_500)
        settings.credentials = Credentials(name: "anna", password: "hunter2")
        settings.fields = [HTTPField(name: "X-Key", value: "7", isForAnyOrigin: true)]
        settings.mirrors = [try url("https://mirror.example/a")]
        let form = try json(settings)
        #expect(form.contains("hunter2"))
        let read = try value(DownloadSettings.self, form)
        #expect(try json(read) == form)
        #expect(read.retries == 3 && read.checksum == .none)
        #expect(read.connection.connectTimeout == .milliseconds(1_500))
        #expect(read.credentials == settings.credentials && read.fields == settings.fields)
        #expect(read.mirrors == settings.mirrors)
    }

    /// This form is on disk and must never change.
    @Test func `settings of a later version are read as far as they are known`() throws {
        let read = try value(
            DownloadSettings.self,
            #"{"ifExists": "skip", "stallTimeoutSeconds": 5, "invented": {"a": [1]}}"#
        )
        #expect(read.ifExists == .skip && read.stallTimeout == .seconds(5))
        let error = #expect(throws: DecodingError.self) {
            try value(DownloadSettings.self, #"{"retries": -1}"#)
        }
        guard case .dataCorrupted(let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((context.underlyingError as? DownloadError)?.code == .usage)
    }

    // MARK: - Files

    @Test func `a finished download and what belongs to it keep their forms`() throws {
        let form = #"""
            {"byteCount":0,"contentEncoding":"gzip","isLengthVerified":true,"path":"/data/a",\#
            "verifiedDigest":"md5=d41d8cd98f00b204e9800998ecf8427e","wasAlreadyThere":false}
            """#
        let file = try value(DownloadedFile.self, form)
        #expect(file.path == "/data/a" && file.verifiedDigest?.algorithm == .md5)
        #expect(try json(file) == form)
        #expect(
            try value([ResumeObstacle].self, try json(ResumeObstacle.allCases)).count
                == ResumeObstacle.allCases.count
        )
        let places: [Place] = [.documents, .home, .directory("/data")]
        #expect(try json(places) == #"[{"documents":{}},{"home":{}},{"directory":{"_0":"/data"}}]"#)
        #expect(try value([Place].self, try json(places)) == places)
    }

    @Test(arguments: ["md5=00", "md6=d41d8cd98f00b204e9800998ecf8427e", "md5", ""])
    func `a digest that does not fit its algorithm is refused`(text: String) {
        #expect(throws: DecodingError.self) { try value([ContentDigest].self, #"["\#(text)"]"#) }
    }

    // MARK: - Errors and states

    @Test func `an error keeps its code, texts and status, but not its cause`() throws {
        let form = #"""
            {"advice":"wait","code":"server-busy","context":"asking","httpStatus":503,\#
            "message":"busy","resumeObstacle":"no-validator","retry":"later","url":"https://host/a"}
            """#
        let error = try value(DownloadError.self, form)
        #expect(error.code == .serverBusy && error.message == "busy" && error.advice == "wait")
        #expect(error.context == "asking" && error.httpStatus == 503 && error.isRetryable)
        #expect(error.resumeObstacle == .noValidator && error.cause == nil)
        #expect(error.url == (try url("https://host/a")))
        #expect(try json(error) == form)
    }

    @Test func `an unknown code keeps its name, and unknown words have their defaults`() throws {
        let error = try value(
            DownloadError.self,
            #"{"code": "quota", "message": "full\u001b[0m", "retry": "tomorrow", "new": 1}"#
        )
        #expect(error.code == ErrorCode(rawValue: "quota"))
        #expect(error.retryClass == error.code.retryClass)
        #expect(!error.message.contains("\u{1B}"))
        #expect(try json(ErrorCode.diskFull) == "\"disk-full\"")
        #expect(try json([TaskState.waitingForConnectivity]) == "[\"waitingForConnectivity\"]")
    }

    // MARK: - Progress, responses and metrics

    @Test func `a progress keeps every member`() throws {
        let form = #"""
            {"bytesPerSecond":2.5,"completedBytes":7,"connections":1,"name":"a","phase":"receiving",\#
            "resumedBytes":2,"segments":[{"completedBytes":3,"end":9,"start":4}],"totalBytes":9}
            """#
        let progress = try value(DownloadProgress.self, form)
        #expect(progress.completedBytes == 7 && progress.totalBytes == 9)
        #expect(progress.phase == .receiving && progress.segments.first?.range == 4..<9)
        #expect(try json(progress) == form)
        let other = try value(DownloadProgress.self, #"{"phase": "dreaming"}"#)
        #expect(other == DownloadProgress())
        #expect(throws: DecodingError.self) {
            try value(SegmentProgress.self, #"{"start": 5, "end": 4, "completedBytes": 0}"#)
        }
    }

    @Test func `a response is rebuilt from its head`() throws {
        let form = #"""
            {"fields":[{"name":"Content-Length","value":"9"},{"name":"Set-Cookie","value":"a=b"}],\#
            "protocolVersion":"HTTP/2","redirects":["https://host/a"],"status":200,\#
            "url":"https://host/b.iso"}
            """#
        let response = try value(DownloadResponse.self, form)
        #expect(response.expectedContentLength == 9 && response.suggestedFilename == "b.iso")
        #expect(response.redirects == [try url("https://host/a")])
        #expect(response.value("set-cookie") == "a=b")
        #expect(!response.isContentDecoded)
        #expect(try json(response) == form)
        let decoded = #"{"isContentDecoded":true,"# + form.dropFirst()
        #expect(try value(DownloadResponse.self, decoded).isContentDecoded)
        #expect(try value(DownloadResponse.self, json(response)) == response)
    }

    @Test func `metrics are read again as they were`() throws {
        var metrics = TaskMetrics()
        metrics.connect = .milliseconds(12)
        metrics.bytesReceived = 5
        #expect(try value(TaskMetrics.self, json(metrics)) == metrics)
    }
}
