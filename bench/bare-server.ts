// The least a server of this kind can be: SQLite opened, Fastify listening, one route. What the hub's start is held to.
import Fastify from 'fastify';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';

const [file = ''] = process.argv.slice(2);
const app = Fastify();
if (file !== '') {
  const reader = new ReadConnection(file, 16_384);
  reader.prepare('SELECT 1').get();
}
app.get('/readyz', () => ({ status: 'ready' }));
app.get<{ Params: { bytes: string } }>('/bytes/:bytes', ({ params }) => Buffer.alloc(Number(params.bytes), 'x'));
process.stdout.write(`bare server ready ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.once('SIGTERM', () => void app.close());
