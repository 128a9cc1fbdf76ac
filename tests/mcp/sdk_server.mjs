// A server made with the protocol's own kit (@modelcontextprotocol/server), which speaks 2026-07-28.
import {McpServer} from '@modelcontextprotocol/server';
import {serveStdio} from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

serveStdio(() => {
  const server = new McpServer({name: 'weather', version: '1.0.0'}, {capabilities: {tools: {listChanged: true}}});
  server.registerTool(
      'temperature',
      {
        description: 'The temperature of a city.',
        inputSchema: z.object({city: z.string()}),
        outputSchema: z.object({city: z.string(), celsius: z.number()}),
        annotations: {readOnlyHint: true},
      },
      async ({city}) => {
        const found = {city, celsius: city.length};
        return {content: [{type: 'text', text: JSON.stringify(found)}], structuredContent: found};
      });
  return server;
});
