import ts from 'typescript';
import { readsIn } from './reads.ts';
import { TypeFlow } from './type-flow.ts';

/** A member of a class, an interface or a type literal that is declared and never read. */
export interface UnusedMember {
  /** `path#Type.member`, the path relative to the root of the checkout. */
  readonly name: string;
  /** Its line, from 1. */
  readonly line: number;
}

/** The files to check. Paths are absolute. */
export interface Scope {
  /** The checkout, with a trailing slash. */
  readonly root: string;
  /** Its members are checked, and its reads count. */
  isChecked(path: string): boolean;
  /** Its reads count. */
  isCounted(path: string): boolean;
}

/**
 * Finds the members that no counted file reads. A member counts as read if its value is used: by name, by
 * destructuring, by a computed key, by code that accepts any value (JSON, a library), through a type that it is
 * assigned to, or by a decorator's framework. Writing it, or naming it in a type, does not count.
 */
export function unusedMembers(program: ts.Program, scope: Scope): UnusedMember[] {
  const checker = program.getTypeChecker();
  const files = program.getSourceFiles().filter(({ fileName }) => scope.isCounted(fileName));
  const own = new Set<ts.SourceFile>(files);
  const flow = new TypeFlow(checker, own);
  for (const file of files) readsIn(file, checker, flow);
  flow.spread();
  return files
    .filter(({ fileName }) => scope.isChecked(fileName))
    .flatMap((file) => declared(file).filter((member) => !isRead(member, checker, flow)))
    .map((member) => ({ name: nameOf(member, scope.root), line: lineOf(member) }));
}

type Member = ts.ClassElement | ts.TypeElement | ts.ParameterDeclaration;

/** Called by the language or a runtime without being named. */
const IMPLICIT = new Set(['toJSON', 'toString', 'valueOf', 'then', 'next', 'return', 'throw']);

function isRead(member: Member, checker: ts.TypeChecker, flow: TypeFlow): boolean {
  if (flow.isRead(member) || IMPLICIT.has(member.name?.getText() ?? '')) return true;
  if (ts.canHaveDecorators(member) && ts.getDecorators(member)?.length) return true;
  // One of several declarations of one member (overloads, a getter and its setter).
  const symbol = member.name && checker.getSymbolAtLocation(member.name);
  return symbol?.declarations?.some((each) => each !== member && flow.isRead(each)) ?? false;
}

function declared(file: ts.SourceFile): Member[] {
  const found: Member[] = [];
  const visit = (node: ts.Node): void => {
    if (isPattern(node)) return;
    if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node))
      for (const member of node.members) if (member.name && !ts.isComputedPropertyName(member.name)) found.push(member);
    if (ts.isParameter(node) && ts.isParameterPropertyDeclaration(node, node.parent)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Conditional types, or types that ask an external type for a result: no value has their members. */
const CHOOSING = /^(Extract|Exclude|Pick|Omit|Prisma\..*)$/;

function isPattern(node: ts.Node): boolean {
  if (
    ts.isConditionalTypeNode(node) ||
    (ts.isTypeLiteralNode(node) && ts.isIntersectionTypeNode(node.parent) && chooses(node))
  )
    return true;
  return ts.isTypeReferenceNode(node) && CHOOSING.test(node.typeName.getText());
}

/** `Marker & { kind: 'call' }`. */
const chooses = (node: ts.TypeLiteralNode): boolean =>
  node.members.every((member) => ts.isPropertySignature(member) && member.type && ts.isLiteralTypeNode(member.type));

function nameOf(member: Member, root: string): string {
  const path = [member.name?.getText() ?? ''];
  for (let node: ts.Node = member.parent; !ts.isSourceFile(node); node = node.parent) {
    const { name } = node as { name?: ts.Node };
    if (name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteral(name)))
      path.unshift(name.text);
  }
  return `${member.getSourceFile().fileName.slice(root.length)}#${path.join('.')}`;
}

const lineOf = (member: Member): number =>
  member.getSourceFile().getLineAndCharacterOfPosition(member.getStart()).line + 1;
