// Plain JavaScript without packages, because `npm start` checks the settings before anything is installed.

/** The kinds of model servers that Callsmith knows. `openai` is any other server of that API. */
export const upstreamKinds = /** @type {const} */ (['vllm', 'sglang', 'llamacpp', 'ollama', 'lmstudio', 'openai']);
