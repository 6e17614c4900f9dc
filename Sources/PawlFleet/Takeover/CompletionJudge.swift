/// Decides what follows an attempt to complete an upload whose outcome may be unknown.
///
/// The answer to the request proves little: it may be lost, it may be the answer to the second of
/// two requests, or another node may have sent the same request. What is under the key decides.
package struct CompletionJudge: Sendable {
    /// An object in the store.
    package struct Object: Hashable, Sendable {
        package var bytes: Int64
        package var entityTag: String
        /// What Pawl stored with the object when it began the upload; `nil` if someone else did.
        package var mark: ObjectMark?

        package init(bytes: Int64, entityTag: String, mark: ObjectMark?) {
            self.bytes = bytes
            self.entityTag = entityTag
            self.mark = mark
        }
    }

    /// The store's answer to the request to complete the upload.
    package enum Answer: Hashable, Sendable {
        /// The store has reported success, or there was no request yet.
        case accepted, notAsked
        /// 412 or 409: the condition does not hold.
        case refused
        /// There is no such upload: it was completed or aborted.
        case noUpload
        /// A part in the list is missing, or has another entity tag.
        case wrongParts
        /// It is not known whether the store has completed the upload.
        case unknown
    }

    /// What is under the key, according to a request that was sent after the answer.
    package enum Content: Hashable, Sendable {
        case nothing
        case object(Object)
        case unknown
    }

    package enum Verdict: Hashable, Sendable {
        /// The object is complete.
        case finished
        /// Send the same list with the same condition again.
        case completeAgain
        /// Ask again what is under the key.
        case lookAgain
        /// Compare the parts of the upload with the list, and upload again those that differ.
        case checkParts
        /// Nothing is left of the upload: begin another one.
        case startOver
        /// An earlier owner of the download has stored a whole object with one request: the
        /// download is finished with that object.
        case adopt(Object)
        /// An object of someone else is under the key.
        case occupied(Object)
        /// The object is ours, but its length is wrong.
        case damaged(Object)
    }

    /// The mark of the upload.
    package var mark: ObjectMark
    /// The length of the file.
    package var bytes: Int64
    /// The entity tag of the object that may be replaced; `nil` if none may be.
    package var replaced: String?

    package init(mark: ObjectMark, bytes: Int64, replaced: String? = nil) {
        self.mark = mark
        self.bytes = bytes
        self.replaced = replaced
    }

    package func judge(_ answer: Answer, _ content: Content) -> Verdict {
        switch content {
        case .unknown: return .lookAgain
        case .object(let object) where object.mark == mark:
            return object.bytes == bytes ? .finished : .damaged(object)
        case .object(let object):
            // An overwritten object stays until the upload is complete.
            guard let replaced, object.entityTag == replaced else { return .occupied(object) }
            return withoutObject(answer)
        case .nothing:
            return withoutObject(answer)
        }
    }

    /// Judges what is under the key after a request that stores the whole object.
    ///
    /// A late request of an earlier owner may have been first, and may have stored another
    /// representation. That object is whole, because there are no parts, and its owner has verified
    /// it; so the download is finished with it.
    package func judgePut(_ content: Content) -> Verdict {
        guard case .object(let object) = content, let found = object.mark, found != mark,
            found.isOfSameDownload(as: mark), object.entityTag != replaced
        else { return judge(.unknown, content) }
        return .adopt(object)
    }

    /// Judges a request that has left no object of this upload.
    private func withoutObject(_ answer: Answer) -> Verdict {
        switch answer {
        // If the condition failed, the object that was in the way is gone.
        case .notAsked, .unknown, .refused: .completeAgain
        case .wrongParts: .checkParts
        case .noUpload: .startOver
        // Someone has deleted the object since: the store answers that there is no upload.
        case .accepted: .completeAgain
        }
    }

    /// Judges what is under the key after an upload was aborted.
    ///
    /// An earlier owner may have completed it before.
    package func judgeAborted(_ content: Content) -> Verdict {
        judge(.noUpload, content)
    }
}
