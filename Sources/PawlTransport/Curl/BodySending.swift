internal import CCurl
internal import PawlCore

/// Lets libcurl read a body while it sends it.
extension CurlHandle {
    /// Sets the body of a request; the feed is not retained.
    func send(_ feed: BodyFeed, of request: TransferRequest) throws(TransferFailure) {
        let pointer = Unmanaged.passUnretained(feed).toOpaque()
        try check(pawl_curl_set_data_function(raw, CURLOPT_READFUNCTION, readBody))
        try set(CURLOPT_READDATA, to: pointer)
        try check(pawl_curl_set_seek_function(raw, rewindBody, pointer))
        guard request.sendsTrailers else { return }
        try check(pawl_curl_set_trailer_function(raw, addTrailers, pointer))
    }
}

extension TransferRequest {
    /// Whether fields follow the body, which only chunks of HTTP/1.1 allow.
    var sendsTrailers: Bool {
        guard let bodySource, !bodySource.trailerNames.isEmpty, !multiplexes else { return false }
        return connection.httpVersion == nil || connection.httpVersion == .http1
    }

    /// The length that libcurl announces; -1 if it announces none.
    var sentLength: Int64 { sendsTrailers ? -1 : bodySource?.length ?? -1 }
}

private func readBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context, size * count > 0 else { return Int(CURL_READFUNC_ABORT) }
    let feed = Unmanaged<BodyFeed>.fromOpaque(context).takeUnretainedValue()
    return feed.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

private func rewindBody(
    _ context: UnsafeMutableRawPointer?,
    _ offset: curl_off_t,
    _ origin: Int32
) -> Int32 {
    // libcurl only ever returns to the beginning.
    guard let context, offset == 0 else { return CURL_SEEKFUNC_FAIL }
    let feed = Unmanaged<BodyFeed>.fromOpaque(context).takeUnretainedValue()
    return feed.restart() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}

private func addTrailers(
    _ list: UnsafeMutablePointer<UnsafeMutablePointer<curl_slist>?>?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let list, let context else { return CURL_TRAILERFUNC_ABORT }
    let feed = Unmanaged<BodyFeed>.fromOpaque(context).takeUnretainedValue()
    for field in feed.trailers {
        guard field.name.isToken, !field.value.utf8.contains(where: { $0 < 0x20 }),
            let longer = curl_slist_append(list.pointee, "\(field.name): \(field.value)")
        else { return CURL_TRAILERFUNC_ABORT }
        // libcurl releases the list.
        list.pointee = longer
    }
    return CURL_TRAILERFUNC_OK
}
