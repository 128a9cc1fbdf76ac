// Bundles the page: one script, one style sheet, their names by content, each plain and compressed.
import {build} from 'esbuild';
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';

const out = process.argv[2];
const LARGEST = 150 * 1024;

const bundled = await build({
  entryPoints: ['src/main.tsx', 'src/style.css'],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  outdir: 'out',
  write: false,
});

let total = 0;
function put(name, content) {
  const packed = gzipSync(content, {level: 9});
  total += packed.length;
  writeFileSync(join(out, name), content);
  writeFileSync(join(out, name + '.gz'), packed);
}

const names = {};
for (const file of bundled.outputFiles) {
  const ending = file.path.endsWith('.css') ? 'css' : 'js';
  const hash = createHash('sha256').update(file.contents).digest('hex').slice(0, 16);
  names[ending] = `page-${hash}.${ending}`;
  put(names[ending], Buffer.from(file.contents));
}
const icon = readFileSync('src/icon.svg');
names.svg = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 16)}.svg`;
put(names.svg, icon);
const index = readFileSync('src/index.html', 'utf8').replace('page.js', names.js).replace('page.css', names.css).replace('icon.svg', names.svg);
put('index.html', Buffer.from(index));
if (total > LARGEST) throw new Error(`the page has ${total} bytes compressed, more than ${LARGEST}`);
