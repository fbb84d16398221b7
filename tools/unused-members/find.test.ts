import ts from 'typescript';
import { expect, test } from 'vitest';
import { unusedMembers } from './find.ts';

/** The findings in the text of one file. */
function unusedIn(text: string): string[] {
  const path = '/checkout/a.ts';
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    strict: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === path ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true) : getSourceFile(name, ...rest);
  const program = ts.createProgram([path], options, host);
  const own = (name: string) => name === path;
  return unusedMembers(program, { root: '/checkout/', isChecked: own, isCounted: own }).map(({ name }) =>
    name.slice('a.ts#'.length),
  );
}

test.each<[string, string, string[]]>([
  ['read by name', 'interface A { x: number; y: number }; export const f = (a: A) => a.x;', ['A.y']],
  ['only written', 'class A { x = 0; f() { this.x = 1; this.x++; } }; new A().f();', ['A.x']],
  ['counted and read', 'class A { x = 0; f() { return this.x++; } }; new A().f();', []],
  ['by destructuring', 'interface A { x: number; y: number }; export const f = ({ x }: A) => x;', ['A.y']],
  ['by its own recursion only', 'class A { f() { this.f(); } }; new A();', ['A.f']],
  ['by a literal key', "interface A { x: number; y: number }; export const f = (a: A) => a['x'];", ['A.y']],
  ['by any key', 'interface A { x: 1; y: 2 }; export const f = (a: A, k: keyof A) => a[k];', []],
  ['as JSON', 'interface A { x: B }; interface B { y: 1 }; export const f = (a: A) => JSON.stringify(a);', []],
  ['in a literal that writes it', 'interface A { x: 1; y: 1 }; const a: A = { x: 1, y: 1 }; void a.x;', ['A.y']],
  [
    'through the interface that a class implements',
    'interface A { x(): void }; class B implements A { x() {} y() {} }; const a: A = new B(); a.x();',
    ['B.y'],
  ],
  [
    'through a type with the same members',
    'interface A { x: 1; y: 1 }; interface B { x: 1 }; const f = (b: B) => b.x; export const g = (a: A) => f(a);',
    ['A.y'],
  ],
  [
    'through a list of such a type',
    'interface A { x: 1; y: 1 }; const f = (b: readonly { x: 1 }[]) => b[0]?.x; export const g = (a: A[]) => f(a);',
    ['A.y'],
  ],
  [
    'through a cast that is returned',
    'const f = (t: string): { x: 1; y: 1 } => JSON.parse(t) as { x: 1; y: 1 }; void f("").x;',
    ['f.y', 'f.y'],
  ],
  [
    'through a list that is spread into another',
    'const f = () => [{ x: 1, y: 1 } as { x: number; y: number }]; const l: { x: number }[] = [{ x: 2 }, ...f()]; void l[0]?.x;',
    ['f.y'],
  ],
  [
    'by a library that is told its name',
    "interface A { x: 1; y: 1 }; export const f = (all: Map<keyof A, A>) => all.get('x');",
    ['A.y'],
  ],
  [
    'through a type parameter that becomes JSON',
    'interface A { x: 1 }; const f = <T>(b: T) => JSON.stringify(b); export const g = (a: A) => f(a);',
    [],
  ],
  [
    'of a table, which satisfies its type',
    'interface A { x: 1; y: 1 }; const t = { a: { x: 1, y: 1 } } as const satisfies Record<string, A>; void t.a.x;',
    ['A.y'],
  ],
  [
    'as a choice among others',
    "type A = { k: 'x' } | { k: 'y' }; export const f = (a: A, b: Extract<A, { k: 'x' }>) => [a.k, b];",
    [],
  ],
  ['of a library', 'class A extends Error { override name = "A"; code = 1 }; throw new A();', ['A.code']],
])('a member read %s', (_, text, unused) => {
  expect(unusedIn(text)).toEqual(unused);
});
