"""Uses aria2p, a library for clients of aria2, with the daemon: each call as its documentation shows
it, and nothing of the library is changed.

aria2p_client.py HOST PORT SECRET URL: URL is a file of an HTTP server, and URL/missing is none.
"""

import sys
import threading

import aria2p

host, port, secret, url = sys.argv[1:]
client = aria2p.Client(host=host, port=int(port), secret=secret)
api = aria2p.API(client)

received = []
changed = threading.Condition()


def note(kind):
    def callback(_, gid):
        with changed:
            received.append((kind, gid))
            changed.notify_all()

    return callback


def wait_for(kind, gid):
    with changed:
        assert changed.wait_for(lambda: (kind, gid) in received, 60), (kind, gid, received)


def expect_error(call, *arguments):
    try:
        call(*arguments)
    except aria2p.ClientException as error:
        assert str(error), error
    else:
        raise AssertionError("the call did not fail")


# The listener of notifications, which sends no secret.
listener = threading.Thread(
    target=lambda: api.listen_to_notifications(
        on_download_start=note("start"),
        on_download_pause=note("pause"),
        on_download_stop=note("stop"),
        on_download_complete=note("complete"),
        on_download_error=note("error"),
        timeout=1,
        handle_signals=False,
    )
)
listener.start()
try:
    # A first notification shows that the listener is connected.
    while not received:
        trial = api.add_uris([url], {"pause": "true"})
        trial.remove(force=True)
        with changed:
            changed.wait_for(lambda: received, 0.2)

    # What the daemon is.
    assert client.get_version()["version"].startswith("1."), client.get_version()
    assert "aria2.addUri" in client.list_methods()
    assert "aria2.onDownloadStart" in client.list_notifications()
    assert client.get_session_info()["sessionId"]
    expect_error(aria2p.Client(host, int(port), "wrong").get_version)

    # Adding and listing.
    download = api.add_uris([url], {"pause": "true", "out": "first.iso", "split": "2"})
    assert download.is_paused and not download.is_complete, download.status
    assert download.name == "first.iso", download.name
    assert str(download.dir).startswith("/"), download.dir
    assert download.total_length == 0 and download.progress == 0.0
    assert download.eta and download.status == "paused" and not download.is_torrent
    assert download.options.split == 2, download.options.split
    assert download.files[0].uris[0]["uri"] == url, download.files[0].uris
    second = api.add(url + "?second", options={"pause": "true"})[0]
    assert [each.gid for each in api.get_downloads()] == [download.gid, second.gid]
    assert api.get_download(second.gid).is_paused

    # Positions in the queue.
    assert api.move_to_top(second) == 0
    assert [each.gid for each in api.get_downloads()] == [second.gid, download.gid]
    assert api.move_down(second) == 1
    assert client.get_uris(second.gid)[0]["uri"] == url + "?second"

    # Options of a download and of all.
    assert api.set_options({"max-download-limit": "4M"}, [download]) == [True]
    limit = api.get_options([download])[0].max_download_limit
    assert limit == 4 << 20, limit
    assert api.set_global_options({"max-concurrent-downloads": "3"})
    assert api.get_global_options().max_concurrent_downloads == 3

    # Resuming until the file is complete.
    assert api.resume([download]) == [True]
    wait_for("start", download.gid)
    wait_for("complete", download.gid)
    download.update()
    assert download.is_complete and download.progress == 100.0, download.status
    assert download.total_length == download.completed_length > 0
    assert download.files[0].path.is_file(), download.files[0].path
    assert download.piece_length > 0 and download.num_pieces > 0

    # Pausing, which a paused download refuses.
    result = api.pause([second])
    assert not result[0] and isinstance(result[0], aria2p.ClientException), result
    assert api.pause_all() and api.resume_all()
    wait_for("complete", second.gid)

    # A failure.
    missing = api.add_uris([url + "/missing"])
    wait_for("error", missing.gid)
    missing.update()
    assert missing.has_failed and missing.error_code == "3", missing.error_code
    assert missing.error_message, missing

    # Statistics.
    stats = api.get_stats()
    assert stats.num_active == 0 and stats.num_waiting == 0, stats.num_active
    assert stats.num_stopped >= 3 and stats.download_speed >= 0, stats.num_stopped

    # Several calls in one request, and as a batch.
    several = client.multicall2([(client.GET_VERSION, []), (client.TELL_STATUS, [missing.gid])])
    assert several[1][0]["gid"] == missing.gid, several
    batch = client.batch_call([(client.GET_VERSION, [], 1), (client.GET_SESSION_INFO, [], 2)])
    assert len(batch) == 2 and "version" in batch[0], batch

    # Removing: one that waits, and the result of one that has ended; its file stays.
    waiting = api.add_uris([url], {"pause": "true"})
    assert api.remove([waiting]) == [True]
    wait_for("stop", waiting.gid)
    path = download.files[0].path
    assert api.remove([download]) == [True] and path.is_file()
    expect_error(api.get_download, download.gid)
    assert api.purge() and api.get_downloads() == []
    assert client.save_session() == "OK"
finally:
    api.stop_listening()
    listener.join()
print("all calls of aria2p have worked")
