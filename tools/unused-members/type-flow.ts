import ts from 'typescript';
import { ReadGraph } from './read-graph.ts';

/** Deeper than any type here; recursive types end because visited pairs are remembered. */
const DEEPEST = 6;

/** Which declarations are read, directly or through a type that their values are assigned to. */
export class TypeFlow {
  private readonly graph = new ReadGraph();
  private readonly pairs = new Map<ts.Type, Set<ts.Type>>();
  private readonly exposed = new Set<ts.Type>();
  /** By a type parameter: the types that it stands for in calls. */
  private readonly standsFor = new Map<ts.Type, Set<ts.Type>>();

  /** `own`: the files whose declarations matter; declarations elsewhere count as read. */
  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly own: ReadonlySet<ts.SourceFile>,
  ) {}

  /** Marks the declarations of `symbol` as read. */
  read(symbol: ts.Symbol | undefined, from?: ts.Node): void {
    this.graph.read(symbol, from);
  }

  /** Propagates the reads along the links. Call it once, after everything was reported. */
  spread(): void {
    this.graph.spread();
  }

  isRead(declaration: ts.Declaration): boolean {
    return this.graph.isRead(declaration);
  }

  /** A value of the type `from` is used as `to`: what is read of `to` is also read of `from`. */
  link(from: ts.Type, to: ts.Type, depth = 0): void {
    if (from === to || depth > DEEPEST || from.flags & SCALAR || !this.isNewPair(from, to)) return;
    if (to.flags & ANYTHING) this.expose(from);
    else if (from.isUnion()) {
      const targets = new Set(to.isUnion() ? to.types : [to]);
      for (const each of from.types) if (!targets.has(each)) this.link(each, to, depth + 1);
    } else if (to.isUnion()) {
      for (const each of to.types) if (!(each.flags & SCALAR)) this.link(from, each, depth + 1);
    } else if (to.flags & ts.TypeFlags.TypeParameter) this.linkParameter(from, to, depth);
    else if (!(to.flags & SCALAR)) this.linkObjects(from, to, depth);
  }

  private isNewPair(from: ts.Type, to: ts.Type): boolean {
    const existing = this.pairs.get(from);
    if (existing?.has(to)) return false;
    this.pairs.set(from, (existing ?? new Set()).add(to));
    return true;
  }

  private linkParameter(from: ts.Type, to: ts.Type, depth: number): void {
    this.standsFor.set(to, (this.standsFor.get(to) ?? new Set()).add(from));
    if (this.exposed.has(to)) this.expose(from);
    const bound = to.getConstraint();
    if (bound) this.link(from, bound, depth + 1);
  }

  private linkObjects(from: ts.Type, to: ts.Type, depth: number): void {
    if (isReference(from) && isReference(to) && from.target === to.target) {
      const sources = this.checker.getTypeArguments(from);
      for (const [at, target] of this.checker.getTypeArguments(to).entries()) {
        const source = sources[at];
        if (source) this.link(source, target, depth + 1);
      }
      if (!this.isOwnType(to)) return;
    }
    const element = to.getNumberIndexType();
    const given = from.getNumberIndexType();
    if (element && given) {
      this.link(given, element, depth + 1);
      return;
    }
    this.linkCalls(from, to, depth);
    if (this.mayBeOwn(from) || this.isOwnType(to)) this.linkMembers(from, to, depth);
  }

  private linkCalls(from: ts.Type, to: ts.Type, depth: number): void {
    for (const target of to.getCallSignatures())
      for (const source of from.getCallSignatures()) {
        this.link(source.getReturnType(), target.getReturnType(), depth + 1);
        for (const [at, parameter] of source.parameters.entries()) {
          const given = target.parameters[at];
          if (given) this.link(this.checker.getTypeOfSymbol(given), this.checker.getTypeOfSymbol(parameter), depth + 1);
        }
      }
  }

  private linkMembers(from: ts.Type, to: ts.Type, depth: number): void {
    const values = to.getStringIndexType();
    const anyName = from.getStringIndexType();
    if (values) {
      for (const each of from.getProperties()) {
        this.read(each);
        this.link(this.checker.getTypeOfSymbol(each), values, depth + 1);
      }
      if (anyName) this.link(anyName, values, depth + 1);
    }
    for (const target of this.checker.getPropertiesOfType(to)) {
      const source = this.checker.getPropertyOfType(from, target.name);
      if (source) {
        this.linkSymbols(source, target);
        this.link(this.checker.getTypeOfSymbol(source), this.checker.getTypeOfSymbol(target), depth + 1);
      } else if (anyName && !values) this.link(anyName, this.checker.getTypeOfSymbol(target), depth + 1);
    }
  }

  private linkSymbols(from: ts.Symbol, to: ts.Symbol): void {
    const targets = to.declarations ?? [];
    if (targets.length === 0 || targets.some((each) => !this.isOwn(each))) this.read(from);
    this.graph.follow(from, to);
  }

  /** Anything may read a value of this type: all of its data counts as read. */
  expose(type: ts.Type): void {
    if (type.flags & SCALAR || this.exposed.has(type)) return;
    this.exposed.add(type);
    for (const each of this.standsFor.get(type) ?? []) this.expose(each);
    if (type.isUnionOrIntersection()) for (const each of type.types) this.expose(each);
    if (isReference(type)) for (const each of this.checker.getTypeArguments(type)) this.expose(each);
    const index = type.getStringIndexType() ?? type.getNumberIndexType();
    if (index) this.expose(index);
    for (const property of this.checker.getPropertiesOfType(type)) {
      if (property.flags & ts.SymbolFlags.Method || !property.declarations?.some((each) => this.isOwn(each))) continue;
      this.read(property);
      this.expose(this.checker.getTypeOfSymbol(property));
    }
  }

  /** False for declarations of a library or the language: only their type arguments can be of this repository. */
  private mayBeOwn(type: ts.Type): boolean {
    return !type.symbol || type.symbol.name.startsWith('__') || this.isOwnType(type);
  }

  private isOwnType(type: ts.Type): boolean {
    return type.symbol?.declarations?.some((each) => this.isOwn(each)) ?? false;
  }

  private isOwn(declaration: ts.Declaration): boolean {
    return this.own.has(declaration.getSourceFile());
  }
}

const ANYTHING = ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive;

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
