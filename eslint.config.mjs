// What Biome cannot check: who may import whom, that no SQL is put together of text, and what costs memory. Rules that need types are in .oxlintrc.json; everything else is Biome's.
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const base = ['layer:base'];
const server = ['layer:base', 'layer:contract', 'layer:server'];

/** Base, core and contracts run in any place: no framework, no store, nothing of Node. */
const pure = ['@nestjs/*', 'fastify', '@prisma/*', 'bullmq', 'react'];

/** Who may import whom, by the tags in each project's package.json; why stands in CONTRIBUTING.md. */
const boundaries = [
  { sourceTag: 'layer:base', onlyDependOnLibsWithTags: base, bannedExternalImports: pure },
  { sourceTag: 'core:protocols', onlyDependOnLibsWithTags: base, bannedExternalImports: pure },
  { sourceTag: 'core:toolcall', onlyDependOnLibsWithTags: base, bannedExternalImports: pure },
  { sourceTag: 'layer:contract', onlyDependOnLibsWithTags: base, bannedExternalImports: pure },
  { sourceTag: 'layer:server', onlyDependOnLibsWithTags: server, bannedExternalImports: ['fastify', 'react'] },
  {
    sourceTag: 'app:gateway',
    onlyDependOnLibsWithTags: [...server, 'layer:core', 'app:simulator'],
    bannedExternalImports: ['react'],
  },
  {
    sourceTag: 'app:simulator',
    onlyDependOnLibsWithTags: [...base, 'layer:core'],
    bannedExternalImports: ['react', '@nestjs/*', '@prisma/*'],
  },
  {
    sourceTag: 'app:web',
    onlyDependOnLibsWithTags: [...base, 'layer:contract'],
    bannedExternalImports: ['@nestjs/*', '@prisma/*'],
  },
  { sourceTag: 'layer:test', onlyDependOnLibsWithTags: ['*'] },
];

/** The rooms of the gateway's request path, in the order in which a request meets them; then those that all of them tell. */
const rooms = ['request', 'agent', 'attempts', 'upstream', 'response', 'observers', 'record'];

/** A room may import those behind it. Replays send requests through all of them, so that none of them knows replays. */
const roomRules = rooms.map((room, at) => ({
  files: [`apps/gateway/src/proxy/${room}/**/*.ts`],
  ignores: ['**/*.test.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^(\\.\\./)+(${[...rooms.slice(0, at), 'replay'].join('|')})/`,
            message: `A request goes ${rooms.slice(0, 5).join(' → ')}, and imports point the same way: ${room}/ is met later, so it must not know what comes before it. Hand it what it needs as a value.`,
          },
          { regex: '/(proxy\\.module|warm-up)\\.ts$', message: 'These put the rooms together; no room knows them.' },
        ],
      },
    ],
  },
}));

const noUnsafeSql = {
  selector: 'MemberExpression[property.name=/^\\$(query|execute)RawUnsafe$/]',
  message: 'Write $queryRaw with its template: it passes values beside the SQL.',
};

/**
 * V8 makes a new hidden class whenever such a literal is evaluated. It lies in the old generation and holds the
 * accessor's function, so that minor collections keep, and copy, all that the function can reach: of each request on
 * whose way it stands, all.
 */
const noAccessorInLiteral = {
  selector: 'ObjectExpression > Property[kind=/^[gs]et$/]',
  message: 'Make it a method or a class: through this accessor the garbage collector keeps the whole request.',
};

export default tseslint.config(
  { ignores: ['**/dist', '**/generated', '**/node_modules', '.cache', '.nx', '**/*.mjs'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['{apps,libs}/*/src/**/*.{ts,tsx}', 'e2e/**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@nx': nx },
    rules: {
      'no-restricted-syntax': ['error', noUnsafeSql],
    },
  },
  {
    files: ['libs/{stream,turn,protocols,toolcall}/src/**/*.ts', 'apps/gateway/src/proxy/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: { 'no-restricted-syntax': ['error', noUnsafeSql, noAccessorInLiteral] },
  },
  {
    files: ['{apps,libs}/*/src/**/*.{ts,tsx}'],
    ignores: ['**/*.test.{ts,tsx}', '**/test-*.ts'],
    rules: { '@nx/enforce-module-boundaries': ['error', { depConstraints: boundaries }] },
  },
  {
    files: ['libs/{stream,turn,evaluate,protocols,toolcall,contracts}/src/**/*.ts', 'apps/dashboard/src/**/*.{ts,tsx}'],
    ignores: ['**/*.test.{ts,tsx}', '**/test-*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [{ regex: '^node:', message: 'This code runs in a browser too, or in any place: no Node in it.' }],
        },
      ],
    },
  },
  ...roomRules,
);
