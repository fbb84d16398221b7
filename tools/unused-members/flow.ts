import ts from 'typescript';

/** Which declarations are read, directly or through a type that their values are assigned to. */
export interface Flow {
  /** The declarations of `symbol` are read. */
  read(symbol: ts.Symbol | undefined, from?: ts.Node): void;
  /** A value of the type `from` is given where `to` is expected: what is read of `to` is read of `from`. */
  link(from: ts.Type, to: ts.Type): void;
  /** Anything may read a value of this type: all of its data counts as read. */
  expose(type: ts.Type): void;
  /** Carries the reads along the links. Call it once, after everything was told. */
  spread(): void;
  isRead(declaration: ts.Declaration): boolean;
}

/** Deeper than the types of any value here; recursive types end by the memory of pairs. */
const DEEPEST = 6;

/** `own`: the files whose declarations matter; what is declared elsewhere is read by somebody unknown. */
export function flowOf(checker: ts.TypeChecker, own: ReadonlySet<ts.SourceFile>): Flow {
  const reads = new Set<ts.Declaration>();
  /** By a declaration: those that are read when it is. */
  const follows = new Map<ts.Declaration, Set<ts.Declaration>>();
  const pairs = new Map<ts.Type, Set<ts.Type>>();
  const exposed = new Set<ts.Type>();
  /** By a type parameter of ours: what it stands for in calls. */
  const standsFor = new Map<ts.Type, Set<ts.Type>>();

  const isOwn = (declaration: ts.Declaration): boolean => own.has(declaration.getSourceFile());

  function read(symbol: ts.Symbol | undefined, from?: ts.Node): void {
    for (const declaration of symbol?.declarations ?? [])
      if (!from || !isWithin(from, declaration)) reads.add(declaration);
  }

  function linkSymbols(from: ts.Symbol, to: ts.Symbol): void {
    const targets = to.declarations ?? [];
    if (targets.length === 0 || targets.some((each) => !isOwn(each))) read(from);
    for (const target of targets)
      for (const source of from.declarations ?? [])
        if (source !== target) follows.set(target, (follows.get(target) ?? new Set()).add(source));
  }

  function link(from: ts.Type, to: ts.Type, depth = 0): void {
    if (from === to || depth > DEEPEST || from.flags & SCALAR) return;
    const known = pairs.get(from);
    if (known?.has(to)) return;
    pairs.set(from, (known ?? new Set()).add(to));
    if (to.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive)) {
      expose(from);
      return;
    }
    if (from.isUnion()) {
      const targets = new Set(to.isUnion() ? to.types : [to]);
      for (const each of from.types) if (!targets.has(each)) link(each, to, depth + 1);
      return;
    }
    if (to.isUnion()) {
      for (const each of to.types) if (!(each.flags & SCALAR)) link(from, each, depth + 1);
      return;
    }
    if (to.flags & ts.TypeFlags.TypeParameter) {
      standsFor.set(to, (standsFor.get(to) ?? new Set()).add(from));
      if (exposed.has(to)) expose(from);
      const bound = to.getConstraint();
      if (bound) link(from, bound, depth + 1);
      return;
    }
    if (to.flags & SCALAR) return;
    if (isReference(from) && isReference(to) && from.target === to.target) {
      const [sources, targets] = [checker.getTypeArguments(from), checker.getTypeArguments(to)];
      for (const [at, target] of targets.entries()) {
        const source = sources[at];
        if (!source) continue;
        link(source, target, depth + 1);
      }
      if (!isOwnType(to)) return;
    }
    const element = to.getNumberIndexType();
    const given = from.getNumberIndexType();
    if (element && given) {
      link(given, element, depth + 1);
      return;
    }
    linkCalls(from, to, depth);
    if (!mayBeOwn(from) && !isOwnType(to)) return;
    const values = to.getStringIndexType();
    if (values) {
      for (const each of from.getProperties()) {
        read(each);
        link(checker.getTypeOfSymbol(each), values, depth + 1);
      }
      const sources = from.getStringIndexType();
      if (sources) link(sources, values, depth + 1);
    }
    const anyName = values ? undefined : from.getStringIndexType();
    for (const target of checker.getPropertiesOfType(to)) {
      const source = checker.getPropertyOfType(from, target.name);
      if (!source && anyName) link(anyName, checker.getTypeOfSymbol(target), depth + 1);
      if (!source) continue;
      linkSymbols(source, target);
      link(checker.getTypeOfSymbol(source), checker.getTypeOfSymbol(target), depth + 1);
    }
  }

  function linkCalls(from: ts.Type, to: ts.Type, depth: number): void {
    for (const target of to.getCallSignatures())
      for (const source of from.getCallSignatures()) {
        link(source.getReturnType(), target.getReturnType(), depth + 1);
        for (const [at, parameter] of source.parameters.entries()) {
          const given = target.parameters[at];
          if (given) link(checker.getTypeOfSymbol(given), checker.getTypeOfSymbol(parameter), depth + 1);
        }
      }
  }

  function expose(type: ts.Type): void {
    if (type.flags & SCALAR || exposed.has(type)) return;
    exposed.add(type);
    for (const each of standsFor.get(type) ?? []) expose(each);
    if (type.isUnionOrIntersection()) for (const each of type.types) expose(each);
    for (const each of argumentsOf(type)) expose(each);
    const index = type.getStringIndexType() ?? type.getNumberIndexType();
    if (index) expose(index);
    for (const property of checker.getPropertiesOfType(type)) {
      if (property.flags & ts.SymbolFlags.Method || !property.declarations?.some(isOwn)) continue;
      read(property);
      expose(checker.getTypeOfSymbol(property));
    }
  }

  const argumentsOf = (type: ts.Type): readonly ts.Type[] => (isReference(type) ? checker.getTypeArguments(type) : []);

  /** False for what a library or the language declares: nothing of ours is in it but its type arguments. */
  const mayBeOwn = (type: ts.Type): boolean => !type.symbol || type.symbol.name.startsWith('__') || isOwnType(type);

  const isOwnType = (type: ts.Type): boolean => type.symbol?.declarations?.some(isOwn) ?? false;

  function spread(): void {
    const queue = [...reads];
    for (let next = queue.pop(); next; next = queue.pop())
      for (const each of follows.get(next) ?? [])
        if (!reads.has(each)) {
          reads.add(each);
          queue.push(each);
        }
  }

  return { read, link, expose, spread, isRead: (declaration) => reads.has(declaration) };
}

const SCALAR =
  ts.TypeFlags.StringLike |
  ts.TypeFlags.NumberLike |
  ts.TypeFlags.BooleanLike |
  ts.TypeFlags.BigIntLike |
  ts.TypeFlags.ESSymbolLike |
  ts.TypeFlags.Null |
  ts.TypeFlags.Undefined |
  ts.TypeFlags.Void |
  ts.TypeFlags.Never;

/** True for a type with arguments, such as `Map<string, Row>`. */
export const isReference = (type: ts.Type): type is ts.TypeReference =>
  (type.flags & ts.TypeFlags.Object) !== 0 && ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0;

function isWithin(node: ts.Node, ancestor: ts.Node): boolean {
  for (let at: ts.Node | undefined = node; at; at = at.parent) if (at === ancestor) return true;
  return false;
}
