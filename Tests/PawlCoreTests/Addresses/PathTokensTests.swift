import struct FoundationEssentials.URL
import PawlCore
import Testing

/// Secret tokens in the paths of URLs, and names that only look similar.
@Suite(.timeLimit(.minutes(5)))
struct PathTokensTests {
    @Test(arguments: [
        // 128, 256 and more random bits in Base64, with what some services put around them.
        "AKx3vQ9mZt2LrW8cYpB1nD", "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms",
        "bot123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc", "id=AKx3vQ9mZt2LrW8cYpB1nD",
        "AKx3vQ9mZt2L%72W8cYpB1nD", "AKx3vQ9mZt2LrW8cYpB1nD.zip", "a%2FAKx3vQ9mZt2LrW8cYpB1nD",
        // Small letters and digits.
        "k7x2m9qp4wz8t3vn6ybr5hdc1s", "nx4t7kq2mzp5w6h3vrj2yl6ubs4d7gto",
        // Few changes between letters and digits, and few digits.
        "xwqvkzmtrhnplsgfjd4ybc7ktw", "KxvQmZtLrWcYpBnDaGhJ4k",
        // With characters of Base64 between the others, one of which is encoded.
        "AKx3-Q9m_t2LrW8-YpB1nDz", "AKx3vQ9mZt%2FLrW8cYpB1nD",
        "dir%2Ffile%2FAKx3vQ9mZt2LrW8cYpB1nD",
        // A JSON Web Token.
        "eyJhbGciOiJub25lIn0.e30.",
    ])
    func `a part that looks like a token is hidden`(name: String) throws {
        let url = try #require(URL(string: "https://h.example/share/\(name)/disk.iso?v=2"))
        #expect(url.recorded == "https://h.example/share/REDACTED/disk.iso?v=2")
        // Logs and lists show it.
        #expect(url.redacted == url.absoluteString)
        let again = try #require(URL(string: url.recorded))
        #expect(again.recorded == url.recorded)
    }

    @Test(arguments: [
        "Fedora-Workstation-Live-x86_64-43-1.6.iso", "VisualStudioSetup2022Enterprise.exe",
        "numpy-1.26.4-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
        "OpenJDK21U-jdk_x64_linux_hotspot_21.0.4_7.tar.gz", "JetBrainsRider2024EAP7Win.tar.gz",
        "linux-image-6.1.0-26-amd64-unsigned_6.1.112-1_amd64.deb",
        "Win11_23H2_EnglishInternational_x64v2.iso", "python3Packages20240101T120000Z",
        "ThinkStation-P620-Main-HiFi.conf", "cloudasset_v1p1beta1_messages.py",
        "Qwen2.5-Coder-7B-Instruct-Q4_K_M.gguf", "BigBuckBunny_1080p_60fps_H264_AAC.mp4",
        "ASUS-ROG-STRIX-B550-F-GAMING-WIFI-BIOS-3404.ZIP", "node-v22.11.0-linux-x64-musl.tar.xz",
        "torch-2.5.1%2Bcu124-cp312-cp312-linux_x86_64.whl",
        "GCF_000001405.40_GRCh38.p14_genomic.fna.gz",
        "S2A_MSIL1C_20240101T103431_N0510_R108_T32TPT_20240101T123456.SAFE",
        "Some.Show.S03E07.2160p.NF.WEB-DL.DDP5.1.HEVC-NTb.mkv", "IMG_20240101_120000_HDR.jpg",
        // Digests of Nix and IPFS.
        "1b9zvzzsbz4zyg9k5dnflqq1lkxzbn3hwqxsnqq8s1ywmbhc3p2k.nar.xz",
        "p4pclmv1gyja5kzc26npqpia1qqxrf0l.narinfo",
        "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
        "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG",
        // Digests, commits and UUIDs.
        "d41d8cd98f00b204e9800998ecf8427e", "pack-0748b872d491cdedaf8ff7b10e7fe00dc2f2ca95.idx",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
        "", "a", "%D0%B4%D0%BE%D0%BA%D1%83%D0%BC%D0%B5%D0%BD%D1%82%D1%8B%202024",
    ])
    func `usual names are kept`(name: String) throws {
        let url = try #require(URL(string: "https://h.example/files/\(name)"))
        #expect(url.recorded == url.absoluteString)
    }

    @Test func `what is hidden in logs is hidden in records, too`() throws {
        let url = try #require(
            URL(string: "https://user@h.example/a;key=x1y2/AKx3vQ9mZt2LrW8cYpB1nD?token=x1y2#top")
        )
        #expect(
            url.recorded == "https://h.example/a;key=REDACTED/REDACTED?token=REDACTED"
        )
    }
}
