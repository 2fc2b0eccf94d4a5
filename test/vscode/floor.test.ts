/** The main job in the oldest VS Code that the manifest allows. */
import { mainJob } from "./main-job";

mainJob("floor");
