import { isObject, type Tool } from '@callsmith/turn';

/** The names that a tool's schema requires. */
export function requiredNames(tool: Tool | undefined): string[] {
  const names = tool?.parameters?.required;
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
}

/** True if the tool declares a parameter of this name. */
export function isParameter(tool: Tool | undefined, name: string): boolean {
  const properties = tool?.parameters?.properties;
  return isObject(properties) && Object.hasOwn(properties, name);
}

/** True if the tool declares all of these parameters, and no required one is missing. */
export function takesExactly(tool: Tool | undefined, keys: readonly string[]): boolean {
  const declared = tool?.parameters?.properties;
  const properties = isObject(declared) ? declared : {};
  return (
    keys.every((key) => Object.hasOwn(properties, key)) && requiredNames(tool).every((name) => keys.includes(name))
  );
}

/** The name of the only parameter that a tool requires, if that is a string. */
export function soleStringParameter(tool: Tool | undefined): string | undefined {
  const names = requiredNames(tool);
  const [name] = names;
  const properties = tool?.parameters?.properties;
  if (names.length !== 1 || name === undefined || !isObject(properties) || !Object.hasOwn(properties, name))
    return undefined;
  const schema = properties[name];
  return isObject(schema) && schema.type === 'string' ? name : undefined;
}
