public import Logging

/// The messages for delegates with methods that would never be called
/// (``MistypedDelegateMethods``).
extension DownloadSession {
    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: """
            session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile; its \
            path is file.path
            """
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.FinishURLMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: """
            session(_:downloadTask:didFinishDownloadingTo:) takes a DownloadedFile; its \
            path is file.path
            """
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.FinishPathMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: """
            in \
            session(_:downloadTask:didWriteData:totalBytesWritten:totalBytesExpectedToWrite:), \
            the last parameter is an Int64?
            """
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.WriteMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: """
            in session(_:downloadTask:didResumeAtOffset:expectedTotalBytes:), the last \
            parameter is an Int64?
            """
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.ResumeMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: "session(_:task:didCompleteWithError:) takes a DownloadError?"
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.CompleteMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: "session(_:task:didCompleteWithError:) takes a SessionTask"
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.CompleteDownloadMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: "session(_:task:didCompleteWithError:) takes a SessionTask and a DownloadError?"
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.CompleteDownloadErrorMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: "session(_:dataTask:didReceive:) takes an array of bytes, [UInt8]"
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.DataMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: "session(_:task:didReceive:) takes a SessionTask as task:"
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.DataResponseMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: """
            session(_:task:didReceive:) has no completion handler; it returns a \
            ResponseDisposition
            """
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.ResponseHandlerMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: """
            session(_:task:didReceive:) has no completion handler; it returns a \
            ResponseDisposition
            """
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.DataResponseHandlerMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: "session(_:didBecomeInvalidWithError:) takes a DownloadError?"
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.InvalidMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: """
            the methods begin with session, not urlSession: \
            session(_:downloadTask:didFinishDownloadingTo:)
            """
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.URLSessionFinishMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: """
            the method is session(_:downloadTask:didFinishDownloadingTo:), with a \
            DownloadedFile
            """
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.URLSessionFinishURLMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: """
            the method is \
            session(_:downloadTask:didWriteData:totalBytesWritten:totalBytesExpectedToWrite:), \
            with an Int64? at the end
            """
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.URLSessionWriteMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: """
            the methods begin with session, not urlSession: \
            session(_:downloadTask:didWriteData:totalBytesWritten:totalBytesExpectedToWrite:)
            """
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.URLSessionWriteOptionalMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: "the method is session(_:task:didCompleteWithError:), with a DownloadError?"
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.URLSessionCompleteMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: """
            the methods begin with session, not urlSession: \
            session(_:task:didCompleteWithError:)
            """
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.URLSessionCompleteTypedMethod == Void {
        self.init(configuration, logger: logger)
    }

    /// Is unavailable: the delegate has a method that would never be called.
    @_documentation(visibility: internal)
    @available(
        *,
        unavailable,
        message: "the method is sessionDidFinishEvents(forBackgroundSession:)"
    )
    public convenience init<Delegate: DownloadSessionDelegate>(
        _ configuration: SessionConfiguration = .default,
        delegate: Delegate,
        logger: Logger = Logger(label: "pawl")
    ) where Delegate.FinishEventsMethod == Void {
        self.init(configuration, logger: logger)
    }
}
