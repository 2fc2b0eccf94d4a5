/** Every real file of benchmarks, data sets, responses and traces against its golden. UPDATE_GOLDENS=1 writes them anew. */
import { testGoldens } from "./reading";

testGoldens({
  sharegpt: ["sharegpt/fastchat-dummy_conversation.json", "sharegpt/glaive_toolcall_en-first-150.json"],
  "tau-bench": ["tau-bench/tb_airline-single-run.json", "large/tau-bench-gpt-4o-airline.json"],
  "tau2-bench": ["tau2-bench/telecom-gpt-4o-2025-08-first-sims.json", "tau2-bench/voice-experiment-simulations-49b22f0c.json", "large/tau2-azure-airline-full.json"],
  "openai-responses": [
    "openai-responses/openai-apply-patch-tool.1.json", "openai-responses/openai-compaction.1.json", "openai-responses/openai-custom-tool.1.json", "openai-responses/openai-mcp-tool.1.json",
    "openai-responses/openai-mcp-tool-approval.1.json", "openai-responses/openai-reasoning-encrypted-content.1.json", "openai-responses/openai-shell-tool.1.json", "openai-responses/openai-web-search-tool.1.json",
  ],
  otel: [
    "otel-genai/openinference_client_span_tool_calls.json", "otel-genai/openinference_io_only.json", "otel-genai/otel_genai_client_span_tool_calls.json", "otel-genai/otel_genai_deprecated_client_span_tool_calls.json",
    "otel-genai/rag_earnings_agent.otlp.json", "otel-genai/smol_deep_research_agent.otlp.json", "otel-genai/vercel-ai-v6-all-spans.json", "hard/12-otlp-int-strings.json",
  ],
  langsmith: ["langsmith/js-wrap-openai-stream.json", "langsmith/py-wrap-openai.json", "langsmith/py-wrap-openai-reasoning.json"],
  webarena: ["webarena/verified-107-agent_response.json", "webarena/verified-107-eval_result.json", "webarena/verified-107-network.har"],
});
