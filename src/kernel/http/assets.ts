// Files whose names change with their content: a client that has one never asks for it again.
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

export async function serveAssets(app: FastifyInstance, folder: string): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/assets/',
    preCompressed: true,
    index: false,
    decorateReply: false,
    cacheControl: false,
    setHeaders: (response) => void response.header('Cache-Control', 'public, max-age=31536000, immutable'),
  });
}
