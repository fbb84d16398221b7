import { GoogleGenAI } from '@google/genai';
import { maxRounds, runTool, settings, system, tools } from './tools.mjs';

// The SDK appends /v1beta itself.
const client = new GoogleGenAI({
  apiKey: settings.apiKey,
  httpOptions: { baseUrl: settings.baseURL.replace(/\/v1$/, '') },
});
const contents = [{ role: 'user', parts: [{ text: settings.prompt }] }];
for (let round = 0; round < maxRounds; round++) {
  const stream = await client.models.generateContentStream({
    model: settings.model,
    contents,
    config: {
      systemInstruction: system,
      maxOutputTokens: settings.maxTokens,
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            parametersJsonSchema: parameters,
          })),
        },
      ],
    },
  });
  const parts = [];
  for await (const { candidates } of stream) parts.push(...(candidates?.[0]?.content?.parts ?? []));
  contents.push({ role: 'model', parts });
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
  if (calls.length === 0) {
    console.log(parts.map(({ text }) => text ?? '').join(''));
    break;
  }
  contents.push({
    role: 'user',
    parts: calls.map(({ id, name, args }) => ({
      functionResponse: { id, name, response: { output: runTool(name, args) } },
    })),
  });
}
