internal import Glibc

/// The settings of nginx.
struct NginxSettings {
    /// The addresses without TLS.
    var addresses = (1...hosts).map { "127.0.0.\($0)" }
    var plainPort: UInt16
    /// The ports of HTTP/1.1 and HTTP/2 over TLS.
    var secure: (port: UInt16, http2Port: UInt16, authority: Authority)?
    /// The network namespace in which it runs.
    var network: String?
    /// The rate of each response; `nil` for no limit.
    var bytesPerSecondOfConnection: Int?
    /// The number of connections that are served at the same time; `nil` for no limit.
    ///
    /// Further ones get 503.
    var mostConnections: Int?

    /// The number of hosts.
    ///
    /// All addresses of 127.0.0.0/8 are loopback, so the hosts are one machine.
    static let hosts = 50
    /// The rate of each response below `/slow/`: so low that many responses overlap.
    static let slowBytesPerSecond = 1 << 20
    /// The higher rate of each response below `/paced/`: a few responses fill a link that two cores
    /// can easily serve.
    static let pacedBytesPerSecond = 8 << 20

    func configuration(folder: String, contents: String) -> String {
        """
        daemon off;
        \(getuid() == 0 ? "user root;" : "")
        worker_processes auto;
        pid \(folder)/nginx.pid;
        error_log \(folder)/nginx.log error;
        events { worker_connections 4096; }
        http {
            access_log off;
            sendfile on;
            tcp_nopush on;
            keepalive_requests 1000000;
            open_file_cache max=10000;
            types { }
            default_type application/octet-stream;
            limit_conn_zone $server_addr zone=connections:1m;
            client_body_temp_path \(folder)/nginx.body;
            proxy_temp_path \(folder)/nginx.proxy;
            fastcgi_temp_path \(folder)/nginx.fastcgi;
            uwsgi_temp_path \(folder)/nginx.uwsgi;
            scgi_temp_path \(folder)/nginx.scgi;
            server {
        \(plainLines)
        \(secureLines)
        \(limitLines)
                root \(contents);
                autoindex on;
                location /slow/ {
                    alias \(contents)/;
                    limit_rate \(Self.slowBytesPerSecond);
                }
                location /paced/ {
                    alias \(contents)/;
                    limit_rate \(Self.pacedBytesPerSecond);
                }
            }
        }

        """
    }

    private var plainLines: String {
        addresses.map { "        listen \($0):\(plainPort);" }.joined(separator: "\n")
    }

    private var limitLines: String {
        [
            bytesPerSecondOfConnection.map { "        limit_rate \($0);" },
            mostConnections.map { "        limit_conn connections \($0);" },
        ].compactMap(\.self).joined(separator: "\n")
    }

    private var secureLines: String {
        guard let secure else { return "" }
        return """
                    listen 127.0.0.1:\(secure.port) ssl;
                    listen 127.0.0.1:\(secure.http2Port) ssl http2;
                    ssl_certificate \(secure.authority.serverCertificate);
                    ssl_certificate_key \(secure.authority.serverKey);
            """
    }
}
