import ts from 'typescript';
import { isReference, type TypeFlow } from './type-flow.ts';

/** Reports to `flow` everything that the file reads, and every value that it assigns to another type. */
export function readsIn(file: ts.SourceFile, checker: ts.TypeChecker, flow: TypeFlow): void {
  const visit = (node: ts.Node): void => {
    byName(node, checker, flow);
    byKey(node, checker, flow);
    byPattern(node, checker, flow);
    byFramework(node, checker, flow);
    byBase(node, checker, flow);
    byAssignment(node, checker, flow);
    ts.forEachChild(node, visit);
  };
  visit(file);
}

/** `object.member` whose value is used. */
function byName(node: ts.Node, checker: ts.TypeChecker, flow: TypeFlow): void {
  if (!ts.isPropertyAccessExpression(node)) return;
  const symbol = checker.getSymbolAtLocation(node.name);
  if (!isOnlyWritten(node) || (symbol && symbol.flags & ts.SymbolFlags.Accessor)) flow.read(symbol, node);
}

/** `object[key]` and `key in object`: what the key may be. */
function byKey(node: ts.Node, checker: ts.TypeChecker, flow: TypeFlow): void {
  if (ts.isElementAccessExpression(node)) {
    if (isOnlyWritten(node)) return;
    readKey(
      checker.getTypeAtLocation(node.expression),
      checker.getTypeAtLocation(node.argumentExpression),
      checker,
      flow,
    );
  } else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword) {
    readKey(checker.getTypeAtLocation(node.right), checker.getTypeAtLocation(node.left), checker, flow);
  } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const [path] = node.arguments;
    if (path && ts.isStringLiteral(path))
      for (const receiver of [node.expression, node.expression.expression])
        readNamed(checker.getTypeAtLocation(receiver), path.text, checker, flow);
  }
}

/** `form.getInputProps('member')`: a library gets the name of the member to read. */
function readNamed(holder: ts.Type, name: string, checker: ts.TypeChecker, flow: TypeFlow, depth = 0): void {
  const typeArguments = [
    ...(holder.aliasTypeArguments ?? []),
    ...(isReference(holder) ? checker.getTypeArguments(holder) : []),
  ];
  for (const each of typeArguments) {
    flow.read(each.getProperty(name));
    if (depth < 2) readNamed(each, name, checker, flow, depth + 1);
  }
}

function readKey(object: ts.Type, key: ts.Type, checker: ts.TypeChecker, flow: TypeFlow): void {
  const holder = checker.getApparentType(object);
  for (const each of holder.isUnion() ? holder.types : [holder]) {
    for (const one of key.isUnion() ? key.types : [key]) {
      if (one.isStringLiteral()) flow.read(each.getProperty(one.value));
      else if (!(one.flags & ts.TypeFlags.NumberLike)) for (const any of each.getProperties()) flow.read(any);
    }
  }
}

/** `const { member } = object`, `({ member } = object)` and `function ({ member })`. */
function byPattern(node: ts.Node, checker: ts.TypeChecker, flow: TypeFlow): void {
  if (!ts.isObjectBindingPattern(node)) return;
  const type = checker.getApparentType(checker.getTypeAtLocation(node));
  for (const { name, propertyName, dotDotDotToken } of node.elements) {
    const key = propertyName ?? name;
    if (dotDotDotToken) continue;
    if (!ts.isIdentifier(key) && !ts.isStringLiteral(key)) {
      for (const each of type.getProperties()) flow.read(each);
      continue;
    }
    for (const each of type.isUnion() ? type.types : [type]) flow.read(each.getProperty(key.text), node);
    flow.read(type.getProperty(key.text), node);
  }
}

/** A decorated method's result goes where its framework uses it. */
function byFramework(node: ts.Node, checker: ts.TypeChecker, flow: TypeFlow): void {
  if (!ts.isMethodDeclaration(node) || !ts.getDecorators(node)?.length) return;
  const signature = checker.getSignatureFromDeclaration(node);
  if (signature) flow.expose(signature.getReturnType());
}

/** What is read of a base class or an interface is also read of its implementation. */
function byBase(node: ts.Node, checker: ts.TypeChecker, flow: TypeFlow): void {
  if (!ts.isClassLike(node) && !ts.isInterfaceDeclaration(node)) return;
  const type = checker.getTypeAtLocation(node);
  for (const clause of node.heritageClauses ?? [])
    for (const base of clause.types) flow.link(type, checker.getTypeAtLocation(base));
}

/** A value used as another type: an argument, an assignment, a return, a cast. */
function byAssignment(node: ts.Node, checker: ts.TypeChecker, flow: TypeFlow): void {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) {
    const [value, type] = [checker.getTypeAtLocation(node.expression), checker.getTypeAtLocation(node.type)];
    flow.link(value, type);
    // A table that satisfies a type is read by its own, narrower type.
    if (ts.isSatisfiesExpression(node)) flow.link(type, checker.getTypeAtLocation(node));
  }
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) byGeneric(node, checker, flow);
  if (ts.isSpreadElement(node) && ts.isArrayLiteralExpression(node.parent)) {
    const list = checker.getContextualType(node.parent);
    if (list) flow.link(checker.getTypeAtLocation(node.expression), list);
  }
  if (!isValue(node)) return;
  const expected = checker.getContextualType(node);
  if (expected) flow.link(checker.getTypeAtLocation(node), expected);
}

/** Expressions that may be an object: no literals, no comparisons, no names of declarations. */
function isValue(node: ts.Node): node is ts.Expression {
  if (ts.isIdentifier(node)) return !isDeclarationName(node);
  return (
    ts.isCallExpression(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node) ||
    ts.isObjectLiteralExpression(node) ||
    ts.isArrayLiteralExpression(node) ||
    ts.isAwaitExpression(node) ||
    ts.isNewExpression(node) ||
    ts.isFunctionLike(node) ||
    ts.isConditionalExpression(node) ||
    ts.isBinaryExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isJsxAttributes(node) ||
    node.kind === ts.SyntaxKind.ThisKeyword
  );
}

/** What a generic function does with values of its type parameter, it does with its arguments. */
function byGeneric(node: ts.CallExpression | ts.NewExpression, checker: ts.TypeChecker, flow: TypeFlow): void {
  const declaration = checker.getResolvedSignature(node)?.declaration;
  if (!declaration || ts.isJSDocSignature(declaration) || !declaration.typeParameters?.length) return;
  for (const [at, argument] of (node.arguments ?? []).entries()) {
    const parameter = declaration.parameters[Math.min(at, declaration.parameters.length - 1)];
    if (parameter) flow.link(checker.getTypeAtLocation(argument), checker.getTypeAtLocation(parameter));
  }
}

const isDeclarationName = (node: ts.Identifier): boolean =>
  (node.parent as { name?: ts.Node }).name === node && !ts.isShorthandPropertyAssignment(node.parent);

/** True for `x.member = 1`, `x.member++;` and `delete x.member`: the value is not used. */
function isOnlyWritten(node: ts.Expression): boolean {
  const { parent } = node;
  if (ts.isDeleteExpression(parent)) return true;
  const changes =
    (ts.isBinaryExpression(parent) && parent.left === node && isAssignment(parent.operatorToken.kind)) ||
    ((ts.isPrefixUnaryExpression(parent) || ts.isPostfixUnaryExpression(parent)) &&
      (parent.operator === ts.SyntaxKind.PlusPlusToken || parent.operator === ts.SyntaxKind.MinusMinusToken));
  if (!changes) return false;
  if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken) return true;
  return ts.isExpressionStatement(parent.parent);
}

/** `??=` and similar operators read the value that they may leave unchanged. */
const isAssignment = (kind: ts.SyntaxKind): boolean =>
  kind >= ts.SyntaxKind.FirstAssignment &&
  kind <= ts.SyntaxKind.LastAssignment &&
  kind !== ts.SyntaxKind.QuestionQuestionEqualsToken &&
  kind !== ts.SyntaxKind.BarBarEqualsToken &&
  kind !== ts.SyntaxKind.AmpersandAmpersandEqualsToken;
