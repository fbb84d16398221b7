import { api } from '@callsmith/contracts';
import { Controller } from '@nestjs/common';
import { type AdminRequest, Serve } from '../contract.ts';
import { McpServersService } from './mcp-servers.service.ts';

@Controller()
export class McpServersController {
  constructor(private readonly servers: McpServersService) {}

  @Serve(api.mcpServers.list)
  list(_: AdminRequest<typeof api.mcpServers.list>) {
    return this.servers.list();
  }

  @Serve(api.mcpServers.create)
  create({ body, caller }: AdminRequest<typeof api.mcpServers.create>) {
    return this.servers.create(body, caller);
  }

  @Serve(api.mcpServers.change)
  change({ params, body, caller }: AdminRequest<typeof api.mcpServers.change>) {
    return this.servers.change(params.id, body, caller);
  }

  @Serve(api.mcpServers.remove)
  remove({ params, caller }: AdminRequest<typeof api.mcpServers.remove>) {
    return this.servers.remove(params.id, caller);
  }

  @Serve(api.mcpServers.look)
  refresh({ params }: AdminRequest<typeof api.mcpServers.look>) {
    return this.servers.refresh(params.id);
  }

  @Serve(api.mcpServers.accept)
  accept({ params, body, caller }: AdminRequest<typeof api.mcpServers.accept>) {
    return this.servers.accept(params.id, body.tools, caller);
  }

  @Serve(api.mcpServers.grant)
  grant({ params, body, caller }: AdminRequest<typeof api.mcpServers.grant>) {
    return this.servers.grant(params.id, body, caller);
  }

  @Serve(api.mcpServers.call)
  call({ params, body }: AdminRequest<typeof api.mcpServers.call>) {
    return this.servers.call(params.id, body);
  }
}
