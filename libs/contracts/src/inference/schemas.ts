import { chatChunk, chatCompletion, chatRequest } from './chat-completions.ts';
import { anthropicError, geminiError, openaiError } from './errors.ts';
import {
  geminiCountRequest,
  geminiModel,
  geminiModelList,
  geminiTokenCount,
  generateRequest,
  generateResponse,
} from './gemini.ts';
import {
  anthropicModel,
  anthropicModelList,
  countRequest,
  message,
  messageEvent,
  messageRequest,
  tokenCount,
} from './messages.ts';
import {
  baseUrl,
  debugCalls,
  functionList,
  hello,
  jsonRpcReply,
  jsonRpcRequest,
  keyUsage,
  openaiModel,
  openaiModelList,
  openapiDocument,
  passedReply,
  passedRequest,
} from './others.ts';
import {
  deletedResponse,
  inputItemList,
  response,
  responseEvent,
  responseInputTokens,
  responseRequest,
} from './responses.ts';

/** What the inference API takes and answers, by name. */
export const inferenceSchemas = {
  AnthropicError: anthropicError,
  AnthropicModel: anthropicModel,
  AnthropicModelList: anthropicModelList,
  BaseUrl: baseUrl,
  ChatChunk: chatChunk,
  ChatCompletion: chatCompletion,
  ChatRequest: chatRequest,
  CountRequest: countRequest,
  DebugCalls: debugCalls,
  DeletedResponse: deletedResponse,
  Error: openaiError,
  FunctionList: functionList,
  GeminiCountRequest: geminiCountRequest,
  GeminiError: geminiError,
  GeminiModel: geminiModel,
  GeminiModelList: geminiModelList,
  GeminiTokenCount: geminiTokenCount,
  GenerateRequest: generateRequest,
  GenerateResponse: generateResponse,
  Hello: hello,
  InputItemList: inputItemList,
  JsonRpcReply: jsonRpcReply,
  JsonRpcRequest: jsonRpcRequest,
  KeyUsage: keyUsage,
  Message: message,
  MessageEvent: messageEvent,
  MessageRequest: messageRequest,
  Model: openaiModel,
  ModelList: openaiModelList,
  OpenapiDocument: openapiDocument,
  PassedReply: passedReply,
  PassedRequest: passedRequest,
  Response: response,
  ResponseEvent: responseEvent,
  ResponseInputTokens: responseInputTokens,
  ResponseRequest: responseRequest,
  TokenCount: tokenCount,
};

export type SchemaName = keyof typeof inferenceSchemas;
