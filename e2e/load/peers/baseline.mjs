// The cheapest proxy that parses its traffic: node:http, the body parsed, every event parsed and serialized again.
import http from 'node:http';

const [port, upstream] = process.argv.slice(2).map(Number);
const agent = new http.Agent({ keepAlive: true, maxSockets: 4096 });
http
  .createServer((request, reply) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts));
      body.user = 'baseline';
      const text = JSON.stringify(body);
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const out = http.request(
        { host: '127.0.0.1', port: upstream, method: 'POST', path: request.url, headers, agent },
        (answer) => {
          if (body.stream) events(answer, reply);
          else whole(answer, reply);
        },
      );
      out.on('error', () => reply.destroy());
      out.end(text);
    });
  })
  .listen(port, '127.0.0.1', 4096);

function whole(answer, reply) {
  const parts = [];
  answer.on('data', (part) => parts.push(part));
  answer.on('end', () => {
    const value = JSON.parse(Buffer.concat(parts));
    value.id = 'chatcmpl-baseline';
    const text = JSON.stringify(value);
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    reply.end(text);
  });
}

function events(answer, reply) {
  reply.writeHead(200, { 'content-type': 'text/event-stream' });
  answer.setEncoding('utf8');
  let rest = '';
  answer.on('data', (text) => {
    rest += text;
    const lines = rest.split('\n\n');
    rest = lines.pop();
    for (const line of lines) {
      if (line === 'data: [DONE]') {
        reply.write('data: [DONE]\n\n');
        continue;
      }
      const event = JSON.parse(line.slice(6));
      event.id = 'chatcmpl-baseline';
      reply.write(`data: ${JSON.stringify(event)}\n\n`);
    }
  });
  answer.on('end', () => reply.end());
}
