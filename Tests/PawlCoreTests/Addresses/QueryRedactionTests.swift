import struct FoundationEssentials.URL
import PawlCore
import Testing

/// Links of file hosts and clouds, and how their queries are redacted.
@Suite(.timeLimit(.minutes(5)))
struct QueryRedactionTests {
    struct Link: Sendable {
        var host: String
        var url: String
        var shown: Set<String>

        init(_ host: String, _ url: String, _ shown: Set<String>) {
            (self.host, self.url, self.shown) = (host, url, shown)
        }
    }

    /// The parameters of each link that are shown.
    ///
    /// All others are hidden.
    static let links: [Link] = [
        Link(
            "S3, R2, Wasabi, MinIO",
            """
            https://b.s3.amazonaws.com/disk.iso?X-Amz-Algorithm=AWS4-HMAC-SHA256\
            &X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20261122%2Fus-east-1%2Fs3%2Faws4_request\
            &X-Amz-Date=20261122T101010Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host\
            &X-Amz-Security-Token=IQoJb3JpZ2luX2VjEJ&X-Amz-Signature=fe5f80f77d5fa3beca038a248ff027\
            &response-content-disposition=attachment%3B%20filename%3D%22disk.iso%22&x-id=GetObject
            """,
            [
                "X-Amz-Algorithm", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders",
                "response-content-disposition", "x-id",
            ]
        ),
        Link(
            "S3, version 2; Alibaba OSS",
            """
            https://b.example/f?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Expires=1795370400\
            &Signature=vjbyPxybdZaNmGa%2ByT272YEAiv4%3D&OSSAccessKeyId=LTAI5tExample
            """,
            ["Expires"]
        ),
        Link(
            "Google Cloud Storage",
            """
            https://storage.googleapis.com/b/f?X-Goog-Algorithm=GOOG4-RSA-SHA256\
            &X-Goog-Credential=me%40p.iam.gserviceaccount.com%2F20261122&X-Goog-Date=20261122T101010Z\
            &X-Goog-Expires=600&X-Goog-SignedHeaders=host&X-Goog-Signature=247a2aa45f169edf4d
            """,
            ["X-Goog-Algorithm", "X-Goog-Date", "X-Goog-Expires", "X-Goog-SignedHeaders"]
        ),
        Link(
            "Azure SAS, GitHub's release objects",
            """
            https://release-assets.githubusercontent.com/p/1/d3b07384?sp=r&sv=2018-11-09&sr=b\
            &spr=https&se=2026-11-22T11%3A24%3A05Z&rscd=attachment%3B+filename%3Dpawl-1.0.tar.gz\
            &rsct=application%2Foctet-stream&skoid=96c2d410-5711-43a1-aedd-ab1947aa7ab0\
            &skt=2026-11-22T10%3A23%3A20Z&ske=2026-11-22T11%3A24%3A05Z&sks=b&skv=2018-11-09\
            &st=2026-11-22T10%3A00%3A00Z&sig=4Rk%2FnTq8q0xr%3D&jwt=eyJ0eXAiOiJKV1QiLCJhbGci
            """,
            [
                "sp", "sv", "sr", "spr", "se", "rscd", "rsct", "skt", "ske", "sks", "skv",
            ]
        ),
        Link(
            "CloudFront, Hugging Face",
            """
            https://cdn-lfs.huggingface.co/repos/aa/bb/cc?response-content-disposition=\
            inline%3B+filename*%3DUTF-8%27%27model.bin%3B&response-content-type=application%2Fzip\
            &Expires=1795370400&Policy=eyJTdGF0ZW1lbnQiOlt7&Signature=mkfY9a~B8&Key-Pair-Id=KVTP0A1DKR
            """,
            ["response-content-disposition", "response-content-type", "Expires"]
        ),
        Link(
            "Dropbox",
            "https://www.dropbox.com/scl/fi/abc/f.zip?rlkey=qwertyuiop&st=abcdefgh&dl=1&e=2",
            ["dl", "e"]
        ),
        Link(
            "OneDrive, SharePoint",
            """
            https://c.sharepoint.com/_layouts/15/download.aspx?UniqueId=3fa85f64-5717-4562-b3fc\
            &Translate=false&tempauth=v1.eyJzaXRlaWQ&ApiVersion=2.0&authkey=%21AKq9&resid=8A2F%21107
            """,
            ["Translate", "ApiVersion"]
        ),
        Link(
            "Google Drive",
            """
            https://drive.usercontent.google.com/download?id=1A2b3C4d5E6f7G8h9I0j&export=download\
            &confirm=t&uuid=6f9619ff-8b86-d011&resourcekey=0-abcDEF123&authuser=0&at=APZUnTW1x2
            """,
            ["export", "confirm", "authuser"]
        ),
        Link("a tracker", "https://t.example/rss?passkey=letters&rsskey=only&page=2", ["page"]),
        Link("Mega", "https://mega.nz/file/a1B2c3D4#s3cr3tK3y", []),
        Link(
            "MediaFire",
            "https://www.mediafire.com/file/x/f.zip?dkey=n4x8k2&r=1122&origin=appnext",
            ["r", "origin"]
        ),
        Link(
            "Box",
            """
            https://public.boxcloud.com/d/1/f?access_token=1!abc&response-content-disposition=x\
            &shared_name=a8b7c6d5e4&rm=download
            """,
            ["response-content-disposition", "rm"]
        ),
        Link(
            "GitLab",
            """
            https://gitlab.com/api/v4/projects/1/jobs/2/artifacts?private_token=glpat-Xy12\
            &job_token=ab12&inline=false&ref=main&ref_type=heads
            """,
            ["inline", "ref", "ref_type"]
        ),
        Link(
            "Backblaze B2",
            "https://f002.backblazeb2.com/file/b/f?Authorization=3_20261122_f2e1&b2ContentLanguage=en",
            ["b2ContentLanguage"]
        ),
        Link(
            "Akamai, Fastly, Bunny, nginx",
            """
            https://cdn.example/f?hdnts=exp%3D1795370400~hmac%3Dab12&token=HS256-ab12&token_path=%2Ff\
            &expires=1795370400&md5=KG46DXFSDwUbSKMF8WfKog&e=1795370400&hmac=12345&verify=1-ab
            """,
            ["expires", "e"]
        ),
        Link(
            "SourceForge",
            "https://downloads.sourceforge.net/p/f.zip?ts=gAAAAABh1x2y3&use_mirror=netix-2&r=",
            ["use_mirror", "r"]
        ),
        Link(
            "pCloud, WeTransfer, 1fichier, Yandex",
            """
            https://dl.example/f?code=XZabc&fileid=123456&ticket=12&download_token=9&hash=abcdef\
            &uid=0&filename=My%20film.mkv&disposition=attachment&limit=0&sign=abc
            """,
            ["fileid", "uid", "filename", "disposition", "limit"]
        ),
        Link(
            "sign-ins and sessions",
            """
            https://h/f?pw=a&psk=b&otp=123456&phpsessid=c&sessid=d&PHPSESSID=e&access=f&refresh=g\
            &pin=1234&state=h&user=jo
            """,
            ["user"]
        ),
        Link(
            "plain ones",
            "https://h/f?version=1.2.3-rc1&arch=x86_64&lang=pt-BR&page=3&date=2026-11-22&q=swift+6",
            ["version", "arch", "lang", "page", "date", "q"]
        ),
        Link(
            "names that tell nothing",
            "https://h/f?a=hunter2&b=QmFzZTY0&c=deadbeef01&d=aVeryLongMixedWord&x=1&y=word&z=WORD",
            ["x", "y", "z"]
        ),
        Link(
            "another URL, other separators, encoded twice",
            "https://h/f?file=https%3A%2F%2Fo%2F%3Ftoken%3Dab1&name=a;token=ab1&path=a%2526token%253Dab1",
            []
        ),
    ]

    @Test(arguments: links.indices)
    func `only harmless parts of real links are shown`(index: Int) throws {
        let link = Self.links[index]
        let shown = try #require(URL(string: link.url)).redacted
        #expect(
            try #require(URL(string: shown)).redacted == shown,
            "\(link.host): redacting twice differs"
        )
        let given = Self.parameters(link.url)
        let left = Self.parameters(shown)
        #expect(left.map(\.name) == given.map(\.name), "\(link.host)")
        for (before, after) in zip(given, left) {
            let expected = link.shown.contains(before.name) ? before.value : "REDACTED"
            #expect(after.value == expected, "\(link.host): \(before.name)")
        }
        #expect(!shown.contains("#"))
    }

    @Test(arguments: [
        ("https://h/f?download", "https://h/f?download"), ("https://h/f?", "https://h/f?"),
        ("https://h/f?4f3a9c71d2", "https://h/f?REDACTED"),
        ("https://h/f?a=&b", "https://h/f?a=&b"),
        ("https://h/f?2026-11-22", "https://h/f?2026-11-22"),
    ])
    func `a query without names is shown if it is plain`(text: String, shown: String) throws {
        #expect(try #require(URL(string: text)).redacted == shown)
    }

    private static func parameters(_ text: String) -> [(name: String, value: String)] {
        guard let query = AddressParts(text).query else { return [] }
        return query.split(separator: "&").map { parameter in
            let parts = parameter.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    @Test(arguments: [
        ("", "", true), ("a=1", "a=1", true), ("a=1", "a=2", false), ("a=1", "", false),
        ("id=1&X-Amz-Date=1&X-Amz-Signature=REDACTED", "X-Amz-Date=2&id=1", true),
        ("id=1&sig=REDACTED", "id=2&sig=REDACTED", false),
        ("id=REDACTED", "id=REDACTED", false), ("REDACTED", "REDACTED", false),
        ("token=REDACTED&expires=1", "token=REDACTED&expires=2", true),
    ])
    func `queries name one file if they differ only in their signatures`(
        one: String,
        other: String,
        isOne: Bool
    ) {
        #expect(QueryRedaction.differOnlyInSignature(one, other) == isOne)
        #expect(QueryRedaction.differOnlyInSignature(other, one) == isOne)
    }
}
