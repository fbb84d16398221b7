// Nest on Fastify with an undici pipe: the cost of the framework alone.
import 'reflect-metadata';
import { All, Controller, Module, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Pool } from 'undici';

const [port, upstream] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${upstream}`, { connections: 1024, pipelining: 1 });

class Pipe {
  async pass(request, reply) {
    const answer = await pool.request({
      method: request.method,
      path: request.url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request.body),
    });
    reply.hijack();
    reply.raw.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] });
    answer.body.pipe(reply.raw);
  }
}
Controller()(Pipe);
All('*')(Pipe.prototype, 'pass', Object.getOwnPropertyDescriptor(Pipe.prototype, 'pass'));
Req()(Pipe.prototype, 'pass', 0);
Res()(Pipe.prototype, 'pass', 1);

class App {}
Module({ controllers: [Pipe] })(App);

const app = await NestFactory.create(App, new FastifyAdapter({ bodyLimit: 64e6 }), { logger: false });
await app.listen(port, '127.0.0.1');
