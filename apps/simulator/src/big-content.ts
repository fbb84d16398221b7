const line = (number: number): string =>
  `${String(number).padStart(4, '0')}\t"double" 'single' \`tick\` {"brace": [1, {"two": "}"}]} C:\\new\\table \\\\share \\u0041 \${x} $(y) <a b="c"> & é ✏️ 🎉\n`;

/**
 * A text of exactly `bytes` UTF-8 bytes with quotes, braces, backslashes, tabs and emoji, ending in a newline. A model
 * writes it when asked for a file of a given number of KB (1 KB = 1024 bytes), so that tests can compare.
 */
export function bigContent(bytes: number): string {
  const lines: string[] = [];
  let left = Math.max(1, bytes) - 1;
  for (let number = 1; ; number++) {
    const next = line(number);
    const size = Buffer.byteLength(next);
    if (size > left) break;
    lines.push(next);
    left -= size;
  }
  return `${lines.join('')}${'.'.repeat(left)}\n`;
}
