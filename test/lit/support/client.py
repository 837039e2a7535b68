"""Have the server of the lit tests run a tool, and end as it ends.

python -IS client.py FOLDER/anvl-opt.socket anvl-opt sin.mlir --cse
"""

import _socket  # `socket` takes 5 ms to import, `json` as many
import marshal
import os
import sys

_, path, *arguments = sys.argv
request = {
    "arguments": arguments,
    "folder": os.getcwd(),
    "environment": dict(os.environ),
}
connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
connection.connect(path)
body = marshal.dumps(request)
data = len(body).to_bytes(4, "little") + body
streams = b"".join(n.to_bytes(4, sys.byteorder) for n in (0, 1, 2))
sent = connection.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
while sent < len(data):
    sent += connection.send(data[sent:])
answer = b""  # the number of the process, and how it ended
while answer.count(b"\n") < 2 and (chunk := connection.recv(64)):
    answer += chunk
code = int(answer.split()[1]) if answer.count(b"\n") == 2 else 1
if code < 0:  # the signal that ended the child ends this process
    os.kill(os.getpid(), -code)
sys.exit(code)
