// The least a Node proxy can do: node:http in, node:http out, bytes piped.
import http from 'node:http';

const [port, upstream] = process.argv.slice(2).map(Number);
const agent = new http.Agent({ keepAlive: true, maxSockets: 4096 });
http
  .createServer((request, reply) => {
    const { method, url: path, headers } = request;
    const out = http.request({ host: '127.0.0.1', port: upstream, method, path, headers, agent }, (answer) => {
      reply.writeHead(answer.statusCode, answer.headers);
      answer.pipe(reply);
    });
    out.on('error', () => reply.destroy());
    reply.on('close', () => out.destroy());
    request.pipe(out);
  })
  .listen(port, '127.0.0.1', 4096);
