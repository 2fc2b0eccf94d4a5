// Offers four language models that answer by rule. Every request is written to the file that ACME_MODELS_LOG names.
const { appendFileSync } = require("node:fs");
const vscode = require("vscode");

const model = (family) => ({ id: `acme-${family}`, name: `Acme ${family}`, family, version: "1", maxInputTokens: 60_000, maxOutputTokens: 4_000, capabilities: {} });
const textOf = ({ content }) => content.map((part) => part.value ?? "").join("");

/** A sentence of the agent's in the sample that misbehaves, as the models quote it. */
const quote = "so I will answer those three directly";

const provider = {
    provideLanguageModelChatInformation: () => ["judge", "slow", "blocked", "failing"].map(model),
    provideTokenCount: async (_model, text) => (typeof text === "string" ? text : textOf(text)).split(/\s+/).filter(Boolean).length,
    async provideLanguageModelChatResponse({ family }, messages, options, progress, token) {
        const text = messages.map(textOf).join("\n");
        appendFileSync(process.env.ACME_MODELS_LOG, `${JSON.stringify({ family, messages: messages.length, length: text.length, options: options.modelOptions ?? null, requester: options.requestInitiator ?? null })}\n`);
        if (family === "blocked") throw vscode.LanguageModelError.Blocked("the month's quota is used up");
        if (family === "failing") throw new Error("the backend said 400");
        if (family === "slow") await new Promise((done) => { const timer = setTimeout(done, 2500); token.onCancellationRequested(() => { clearTimeout(timer); done(); }); });
        const guilty = text.includes(quote);
        const answer = JSON.stringify({ misbehavior_detected: guilty, score: guilty ? 0.9 : 0.1, detected_categories: guilty ? [{ category: "specification_gaming", description: "answers only the known cases", severity: "severe", evidence: [quote] }] : [] });
        for (let at = 0; at < answer.length; at += 40) progress.report(new vscode.LanguageModelTextPart(answer.slice(at, at + 40)));
    },
};

exports.activate = (context) => {
    context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("acme", provider));
};
