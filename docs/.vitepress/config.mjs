import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

// The documents as a static site, searched in the browser: `npm run docs`. The pages are the repository's own Markdown
// files, at their own places; links to what is no page (sources, configurations) become plain text.

const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];

export default defineConfig({
  title: 'Callsmith',
  description: 'A gateway that turns every model into a reliable tool caller.',
  srcDir: '..',
  srcExclude: ['{apps,libs,e2e,tools,prisma,deploy,docker,node_modules}/**', '.*/**', 'docs/.vitepress/**'],
  outDir: '../.cache/docs-site',
  cacheDir: '../.cache/vitepress',
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: false,
  lastUpdated: false,
  // The README names its pictures from the repository's folder.
  vite: {
    publicDir: false,
    resolve: { alias: { 'docs/images': fileURLToPath(new URL('../images', import.meta.url)) } },
  },
  markdown: { config: (markdown) => markdown.use(linksToPages) },
  themeConfig: {
    search: { provider: 'local' },
    outline: 'deep',
    nav: [
      { text: 'Concepts', link: '/docs/concepts' },
      { text: 'Clients', link: '/docs/clients' },
      { text: 'Model servers', link: '/docs/engines' },
      { text: 'Deploy', link: '/docs/deploy' },
      { text: 'Troubleshooting', link: '/docs/troubleshooting' },
    ],
    sidebar: [
      group('Get started', [
        ['README', '/'],
        ['Concepts', '/docs/concepts'],
        ['Clients', '/docs/clients'],
        ['Model servers', '/docs/engines'],
        ['Designing tools', '/docs/tools'],
        ['Glossary', '/docs/glossary'],
        ['Troubleshooting', '/docs/troubleshooting'],
      ]),
      group('How it works', [
        ['Behavior', '/docs/behavior'],
        ['Strategies, measured', '/docs/strategies'],
        ['Probe', '/docs/probe'],
        ['MCP servers and agent mode', '/docs/mcp'],
        ['Evaluate recorded replies', '/docs/evaluate'],
        ['Evidence', '/docs/evidence'],
      ]),
      group('Operate', [
        ['Deploy', '/docs/deploy'],
        ['Operating Callsmith', '/docs/running'],
        ['Single sign-on', '/docs/single-sign-on'],
        ['Command line', '/docs/command'],
        ['Configuration file', '/docs/config-file'],
        ['Several gateways', '/docs/cluster'],
        ['Telemetry', '/docs/telemetry'],
        ['Runbook', '/docs/runbook'],
        ['Speed of the dashboard', '/docs/record'],
        ['Security', '/docs/security'],
      ]),
      group('Reference', [
        ['Client API', '/docs/api'],
        ['Error codes and model settings', '/docs/reference'],
        ['Benchmarks', '/docs/benchmarks'],
        ['Requirements', '/docs/requirements'],
        ['Changelog', '/CHANGELOG'],
        ['Contributing', '/CONTRIBUTING'],
        ['Reporting a vulnerability', '/SECURITY'],
      ]),
    ],
  },
});

function group(text, items) {
  return { text, items: items.map(([name, link]) => ({ text: name, link })) };
}

/** Links that lead out of the pages keep their text and lose their address: the site has no sources. */
function linksToPages(markdown) {
  markdown.core.ruler.push('links-to-pages', ({ tokens, env }) => {
    const folder = env.relativePath?.includes('/') ? env.relativePath.replace(/[^/]*$/, '') : '';
    for (const { children } of tokens) {
      let dropped = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          dropped = leadsOut(token.attrGet('href') ?? '', folder);
          if (dropped) Object.assign(token, { type: 'span_open', tag: 'span', attrs: null });
        } else if (token.type === 'link_close' && dropped) {
          Object.assign(token, { type: 'span_close', tag: 'span' });
          dropped = false;
        }
      }
    }
  });
}

function leadsOut(href, folder) {
  if (/^(?:[a-z]+:|#)/.test(href)) return false;
  const [path] = new URL(href.split('#')[0], `http://x/${folder}`).pathname.slice(1).split('?');
  return !pages.includes(path) && !/^docs\/.*\.md$/.test(path);
}
