"""Uses aioaria2, a library for clients of aria2, with the daemon, over HTTP and WebSocket.

aioaria2_client.py RPC SECRET URL: RPC is http://… or https://…, and URL is a file of an HTTP server.
"""

import asyncio
import sys

import aioaria2

rpc, secret, url = sys.argv[1:]


async def over_http():
    async with aioaria2.Aria2HttpClient(rpc, token=secret) as client:
        version = await client.getVersion()
        assert version["version"].startswith("1."), version
        gid = await client.addUri([url], {"pause": "true"})
        assert await client.get_status(gid) == "paused"
        waiting = await client.tellWaiting(0, 10, ["gid", "status"])
        assert waiting == [{"gid": gid, "status": "paused"}], waiting
        assert [each async for each in client.get_statuses([gid])] == ["paused"]
        assert (await client.getGlobalStat())["numWaiting"] == "1"
        assert await client.changeOption(gid, {"max-download-limit": "1M"}) == "OK"
        assert (await client.getOption(gid))["max-download-limit"] == str(1 << 20)
        assert await client.remove(gid) == gid
        assert await client.removeDownloadResult(gid) == "OK"


async def over_web_socket():
    ended = asyncio.Queue()

    async def note(_, message):
        await ended.put(message["params"][0]["gid"])

    client = await aioaria2.Aria2WebsocketClient.new("ws" + rpc[4:], token=secret)
    try:
        client.onDownloadComplete(note)
        # The answer shows that the connection is open.
        await client.getVersion()
        gid = await client.addUri([url])
        assert await asyncio.wait_for(ended.get(), 60) == gid
        status = await client.tellStatus(gid, ["status", "completedLength", "totalLength"])
        assert status["status"] == "complete", status
        assert status["completedLength"] == status["totalLength"] != "0", status
        stopped = await client.tellStopped(0, 10)
        assert [each["gid"] for each in stopped] == [gid], stopped
        assert await client.purgeDownloadResult() == "OK"
    finally:
        await client.close()


asyncio.run(over_http())
asyncio.run(over_web_socket())
print("all calls of aioaria2 have worked")
