public import Foundation

/// Encodings that Foundation has no constants for, such as `.shiftJIS` and `.windowsCP1251`.
///
/// `FetchedData.string(encoding:)` decodes them.
extension String.Encoding {
    /// GB 18030, which contains GBK and GB 2312, the encodings of simplified Chinese.
    public static let gb18030 = String.Encoding(rawValue: 0x8000_0632)
    /// GBK, which is decoded as GB 18030.
    public static let gbk = String.Encoding(rawValue: 0x8000_0631)
    /// Big5 with the characters of Hong Kong, an encoding of traditional Chinese.
    public static let big5 = String.Encoding(rawValue: 0x8000_0A03)
    /// EUC-KR, which is decoded as Windows-949, an encoding of Korean.
    public static let eucKR = String.Encoding(rawValue: 0x8000_0940)
    /// KOI8-R, an encoding of Russian.
    public static let koi8R = String.Encoding(rawValue: 0x8000_0A02)
}
