/** The language server's entry: a connection, its handlers, and nothing that must outlive a crash. */
import { createConnection, ProposedFeatures, TextDocuments, TextDocumentSyncKind } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import * as z from "zod/mini";
import { keepHeapLean } from "#node/lean-heap";
import { notifications, ServerSettings } from "#protocol/lsp";
import { Diagnostics } from "./diagnostics";
import { register } from "./handlers/define";
import { handlers } from "./handlers/index";
import { ServerState } from "./state";

keepHeapLean();
const connection = createConnection(ProposedFeatures.all);
const documents = new TextDocuments(TextDocument);
const state = new ServerState(connection);
const diagnostics = new Diagnostics(connection, state);

const InitializationOptions = z.object({ settings: z.optional(ServerSettings) });

connection.onInitialize((params) => {
  const options = InitializationOptions.safeParse(params.initializationOptions ?? {});
  if (options.success && options.data.settings) state.settings = options.data.settings;
  return { capabilities: { textDocumentSync: TextDocumentSyncKind.Incremental }, serverInfo: { name: "tracemark", version: state.version } };
});

function onNotification<M extends keyof typeof notifications>(method: M, handle: (params: z.infer<(typeof notifications)[M]>) => void): void {
  connection.onNotification(method, (params: unknown) => {
    const parsed = notifications[method].safeParse(params);
    if (parsed.success) handle(parsed.data as z.infer<(typeof notifications)[M]>);
    else connection.console.warn(`${method}: ${parsed.error.message}`);
  });
}

onNotification("tracemark/settings", (settings) => {
  state.settings = settings;
});
onNotification("tracemark/opened", ({ document }) => void diagnostics.publish(document));
onNotification("tracemark/changed", ({ document }) => {
  if (document.root !== undefined) state.contents.lookAgain(document.root);
  state.files.forget(document.uri);
  void diagnostics.publish(document);
});
onNotification("tracemark/closed", ({ uri }) => {
  state.files.close(uri);
  diagnostics.clear(uri);
});
onNotification("tracemark/workspaceChanged", ({ root }) => state.workspaces.forget(root));

connection.onShutdown(() => state.batches.endAll());

register(connection, state, handlers);
documents.onDidChangeContent(({ document }) => diagnostics.publishText(document.uri, document.getText()));
documents.onDidClose(({ document }) => diagnostics.clear(document.uri));
documents.listen(connection);
connection.listen();
